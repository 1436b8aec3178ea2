import CNcurses
import Glibc

/// Terminal modes that ncurses does not know, and the bytes that restore the terminal.
extension Terminal {
  /// Turns bracketed paste on, and the mouse if it is used.
  var enterModes: [UInt8] {
    guard isANSI else { return [] }
    return Array("\u{1b}[?2004h".utf8) + (decoder.usesMouse ? Self.mouseOn : [])
  }
  /// Turns mouse reports, bracketed paste and synchronized frames off.
  var leaveModes: [UInt8] {
    guard isANSI else { return [] }
    return Self.mouseOff + Array("\u{1b}[?2004l\u{1b}[?2026l".utf8)
  }

  /// Reports of presses and the wheel, with decimal coordinates.
  private static let mouseOn = Array("\u{1b}[?1000h\u{1b}[?1006h".utf8)
  private static let mouseOff = Array(
    "\u{1b}[?1006l\u{1b}[?1003l\u{1b}[?1002l\u{1b}[?1000l".utf8)

  /// Turns the mouse on or off; mouse events come only while it is on.
  package func useMouse(_ isOn: Bool) {
    guard state == .active, decoder.usesMouse != isOn else { return }
    decoder.usesMouse = isOn
    if isANSI { write(isOn ? Self.mouseOn : Self.mouseOff) }
  }

  /// Whether the terminal uses ANSI control sequences.
  var isANSI: Bool { capability("cup").starts(with: [0x1b, 0x5b]) }

  /// Prepares the bytes with which a signal handler restores the terminal.
  func prepareRescue() {
    var bytes = leaveModes
    bytes += capability("sgr0")
    if isANSI {
      // Insert mode and a scroll region may be active in the middle of a frame.
      bytes += capability("rmir")
      if !capability("csr").isEmpty { bytes += Array("\u{1b}[r".utf8) }
    }
    bytes += capability("rmkx")
    bytes += capability("cnorm")
    let back = capability("rmcup")
    if !back.isEmpty {
      bytes += back
    } else if isANSI {
      bytes += Array("\u{1b}[999;1H\r\n".utf8)
    }
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      unsafe rescue_set_bytes(start, buffer.count)
    }
    rescue_arm()
  }

  /// Writes to the terminal without ncurses; only allowed between frames.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(options.output, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func capability(_ name: String) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe cn_capability(name, start, buffer.count)
    }
  }
}

import Glibc
import HostSystem

/// Lines to a descriptor, at once and unbuffered.
enum Output: Sendable {
  /// Writes a text whose words may be another user's: no control character reaches a terminal.
  static func line(_ text: String, to descriptor: Int32) {
    _ = write(Sanitised.text(text, limit: 65_536), to: descriptor)
  }

  /// Prints what a command was run for; ends the process with 1 when it cannot be written.
  static func answer(_ text: String) {
    guard let code = write(text, to: STDOUT_FILENO) else { return }
    // Whoever read this has seen enough.
    if code != EPIPE {
      let reason = unsafe String(cString: strerror(code))
      line("\(Fettled.typedName): cannot write to standard output: \(reason)", to: STDERR_FILENO)
    }
    exit(1)
  }

  /// - Returns: Why it could not be written; nil when it was.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array((text + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN {
        // Whoever shares this descriptor may have made it non-blocking.
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      bytes = bytes.dropFirst(count)
    }
    return nil
  }
}

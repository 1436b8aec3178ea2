internal import Dispatch
internal import Glibc
internal import Synchronization

/// A web server on the loopback that gives a folder's files to apt, archives at a pace.
final class PacedMirror: Sendable {
  /// The port that the kernel chose.
  let port: UInt16
  private let folder: String
  private let listener: Int32

  /// How fast archives are given away; the index always comes at once.
  enum Pace: Sendable, Hashable {
    /// A little pause before each 8,000 bytes of a connection.
    case leisurely
    /// As fast as it goes.
    case unlimited
    /// So much for all connections together.
    case shared(bytesPerSecond: Double)
  }

  /// Serves a folder until the value goes away.
  ///
  /// - Throws: ``CannotMeasure`` when the loopback has no port left.
  init(_ folder: String, pace: Pace = .leisurely) throws(CannotMeasure) {
    self.folder = folder
    let tap = Tap(pace)
    let (listener, port) = try Loopback.listen()
    (self.listener, self.port) = (listener, port)
    Thread.run {
      while true {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { break }
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        Thread.run { Self.serve(folder, to: peer, through: tap) }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The line of `sources.list` that names it.
  var source: String { "deb [trusted=yes] http://127.0.0.1:\(port) ./" }

  private enum Thread {
    static func run(_ body: @escaping @Sendable () -> Void) {
      DispatchQueue(label: "mirror").async(execute: body)
    }
  }

  private static func serve(_ folder: String, to peer: Int32, through tap: Tap) {
    defer { close(peer) }
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    let end = Array("\r\n\r\n".utf8)
    while true {
      while let range = received.firstRange(of: end) {
        let request = String(decoding: received[..<range.lowerBound], as: UTF8.self)
        received.removeSubrange(..<range.upperBound)
        guard answer(request, from: folder, to: peer, through: tap) else { return }
      }
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(peer, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      received += buffer[..<count]
    }
  }

  /// Answers one request; false when the peer is gone.
  private static func answer(
    _ request: String, from folder: String, to peer: Int32, through tap: Tap
  ) -> Bool {
    let words = request.split(separator: " ", maxSplits: 2)
    let name = words.count > 1 ? words[1].split(separator: "/").last.map(String.init) : nil
    // Only what lies in the folder itself.
    guard let name, !name.hasPrefix("."), let content = SmallFile.bytes("\(folder)/\(name)") else {
      return send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8, to: peer)
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"
    guard send(head.utf8, to: peer) else { return false }
    guard name.hasSuffix(".deb") else { return send(content, to: peer) }
    for start in stride(from: 0, to: content.count, by: tap.piece) {
      let piece = content[start..<min(start + tap.piece, content.count)]
      tap.wait(for: piece.count)
      guard send(piece, to: peer) else { return false }
    }
    return true
  }

  private static func send(_ bytes: some Sequence<UInt8>, to peer: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// What all connections of a mirror draw from.
private final class Tap: Sendable {
  private let pace: PacedMirror.Pace
  /// When everything that was given away until now has run through.
  private let free = Mutex(ContinuousClock.now)

  init(_ pace: PacedMirror.Pace) { self.pace = pace }

  /// The bytes that are given away at once.
  var piece: Int {
    switch pace {
    case .leisurely: 8_000
    case .unlimited: 1 << 20
    case .shared: 16_384
    }
  }

  /// Blocks until so many bytes may go.
  func wait(for bytes: Int) {
    switch pace {
    case .leisurely: usleep(10_000)
    case .unlimited: return
    case .shared(let bytesPerSecond):
      let due = free.withLock { free in
        free = max(free, .now) + .seconds(Double(bytes) / bytesPerSecond)
        return free
      }
      let pause = due - .now
      if pause > .zero { usleep(UInt32(pause / .microseconds(1))) }
    }
  }
}

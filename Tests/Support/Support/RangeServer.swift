internal import Glibc
internal import Synchronization

/// A web server on the loopback that sends the rest of a file to whoever has its beginning.
///
/// Of an archive that is asked for from its beginning only the first half is sent before ``release()``.
package final class RangeServer: Sendable {
  private let folder: String
  private let listener: LoopbackListener
  private let isReleased = Mutex(false)
  private let sent = Mutex<[String: Int]>([:])

  /// Starts to serve a folder.
  ///
  /// - Throws: `FixtureError` when the loopback has no port left.
  package init(_ folder: String) throws {
    self.folder = folder
    listener = try LoopbackListener()
    listener.serveHeads { [self] head, peer in answer(head, to: peer) }
  }

  /// The line of `sources.list` that names it.
  package var source: String { "deb [trusted=yes] http://127.0.0.1:\(listener.port) ./\n" }

  /// How many bytes of the archive of each package have been sent.
  package var sentBytes: [String: Int] { sent.withLock { $0 } }

  /// Lets archives be sent whole.
  package func release() { isReleased.withLock { $0 = true } }

  /// Stops listening.
  package func close() {
    release()
    listener.close()
  }

  private func answer(_ head: String, to peer: Int32) -> Bool {
    let words = head.split(separator: " ")
    let name = words.count > 1 ? words[1].split(separator: "/").last.map(String.init) ?? "" : ""
    guard let content = TestFolder.bytes(of: folder + "/" + name) else {
      return LoopbackListener.send(
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", to: peer)
    }
    let date = "Last-Modified: Tue, 01 Sep 2026 10:00:00 GMT\r\n"
    guard let start = Self.start(in: head), start < content.count else {
      let isHeld = name.hasSuffix(".deb")
      let answer = "HTTP/1.1 200 OK\r\n\(date)Content-Length: \(content.count)\r\n\r\n"
      let half = isHeld ? content.count / 2 : content.count
      guard send(answer, content[..<half], of: name, to: peer) else { return false }
      while isHeld, !isReleased.withLock({ $0 }) {
        guard Self.isThere(peer) else { return false }
        usleep(5_000)
      }
      return send("", content[half...], of: name, to: peer)
    }
    let range = "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)\r\n"
    return send(
      "HTTP/1.1 206 Partial Content\r\n\(date)\(range)Content-Length: \(content.count - start)\r\n\r\n",
      content[start...], of: name, to: peer)
  }

  /// The first byte that is asked for, where the asker has the file of that very time.
  private static func start(in head: String) -> Int? {
    let lines = head.split(whereSeparator: \.isNewline)
    guard lines.contains("If-Range: Tue, 01 Sep 2026 10:00:00 GMT"),
      let range = lines.first(where: { $0.hasPrefix("Range: bytes=") })
    else { return nil }
    return Int(range.dropFirst("Range: bytes=".count).prefix { $0 != "-" })
  }

  private func send(
    _ head: String, _ content: ArraySlice<UInt8>, of name: String, to peer: Int32
  ) -> Bool {
    if name.hasSuffix(".deb") {
      let package = name.split(separator: "_").first.map(String.init) ?? ""
      sent.withLock { $0[package, default: 0] += content.count }
    }
    return LoopbackListener.send(head, content, to: peer)
  }

  private static func isThere(_ peer: Int32) -> Bool {
    var byte: UInt8 = 0
    return unsafe recv(peer, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
  }
}

internal import Glibc
internal import Synchronization

/// A web server on the loopback that gives a folder's files to apt, some of them wrongly.
///
/// What is wrong goes by the package: `NAME_1.0_all.deb` is sent with the fault of `NAME`.
package final class FaultyMirror: Sendable {
  /// What is wrong with an archive.
  package enum Fault: String, Sendable, CaseIterable {
    /// The connection ends in mid-file, at each attempt.
    case cut
    /// The last byte is another one.
    case changed
    /// The file is a hundred bytes longer.
    case longer
    /// The file is a hundred bytes shorter.
    case shorter
    case missing
    /// The server is out of order: 500.
    case broken
    /// Each answer leads back to the question.
    case circular
    /// The connection is taken, and nothing is ever said.
    case silent
    /// What is said is not the protocol's.
    case garbage
  }

  /// The port that the kernel chose.
  package var port: UInt16 { listener.port }
  private let folder: String
  private let listener: LoopbackListener
  private let faults: Mutex<[String: Fault]>
  private let isClosed = Mutex(false)
  private let asked = Mutex<[String: Int]>([:])

  /// Starts to serve a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - faults: What is wrong with the archive of each package.
  /// - Throws: `FixtureError` when the loopback has no port left.
  package init(_ folder: String, faults: [String: Fault]) throws {
    self.folder = folder
    self.faults = Mutex(faults)
    listener = try LoopbackListener()
    listener.serve { [self] path, peer in answer(path, to: peer) }
  }

  /// The line of `sources.list` that names it.
  package var source: String { "deb [trusted=yes] http://127.0.0.1:\(port) ./\n" }

  /// How often the archive of each package was asked for.
  package var requests: [String: Int] { asked.withLock { $0 } }

  /// Mends everything.
  package func mend() { faults.withLock { $0 = [:] } }

  /// Stops listening, and lets go of who waits.
  package func close() {
    isClosed.withLock { $0 = true }
    listener.close()
  }

  /// Answers one request; false when the connection is to end.
  private func answer(_ path: String, to peer: Int32) -> Bool {
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    guard !name.hasPrefix("."), var content = TestFolder.bytes(of: folder + "/" + name) else {
      return send("HTTP/1.1 404 There is no such thing\r\nContent-Length: 0\r\n\r\n", [], to: peer)
    }
    let package = name.split(separator: "_").first.map(String.init) ?? ""
    if name.hasSuffix(".deb") { asked.withLock { $0[package, default: 0] += 1 } }
    switch name.hasSuffix(".deb") ? faults.withLock({ $0[package] }) : nil {
    case nil: break
    case .cut:
      _ = send(head(content.count), content[..<(content.count / 2)], to: peer)
      return false
    case .changed: content[content.count - 1] ^= 1
    case .longer: content += [UInt8](repeating: 0x0A, count: 100)
    case .shorter: content.removeLast(100)
    case .missing:
      return send("HTTP/1.1 404 There is no such thing\r\nContent-Length: 0\r\n\r\n", [], to: peer)
    case .broken:
      return send("HTTP/1.1 500 Out Of Order\r\nContent-Length: 0\r\n\r\n", [], to: peer)
    case .circular:
      let place = "http://127.0.0.1:\(port)\(path)"
      return send(
        "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n", [], to: peer)
    case .silent:
      while !isClosed.withLock({ $0 }), Self.isThere(peer) { usleep(20_000) }
      return false
    case .garbage:
      _ = send("\u{1B}]0;owned\u{07} 220 mail.example.org ESMTP\r\n\r\n", [], to: peer)
      return false
    }
    return send(head(content.count), content[...], to: peer)
  }

  private func head(_ length: Int) -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
  }

  private static func isThere(_ peer: Int32) -> Bool {
    var byte: UInt8 = 0
    return unsafe recv(peer, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
  }

  private func send(_ head: String, _ content: ArraySlice<UInt8>, to peer: Int32) -> Bool {
    LoopbackListener.send(head, content, to: peer)
  }
}

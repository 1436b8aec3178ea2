internal import Glibc
internal import Synchronization

/// A web server on the loopback that keeps archives half sent until it is told to go on.
///
/// Serves the files of one folder to apt. Of a name that ends in `.deb` only the first half is sent
/// before ``release()``; with a pace, all of it is sent at that pace.
package final class HeldServer: Sendable {
  /// The port that the kernel chose.
  package var port: UInt16 { listener.port }
  private let folder: String
  private let listener: LoopbackListener
  private let isReleased = Mutex(false)
  private let pace: Int?

  /// Starts to serve a folder.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - pace: Bytes of an archive that are sent every 20 ms; nil holds archives half sent.
  /// - Throws: `FixtureError` when the loopback has no port left.
  package init(_ folder: String, pace: Int? = nil) throws {
    self.folder = folder
    self.pace = pace
    listener = try LoopbackListener()
    listener.serve { [self] path, peer in answer(path, to: peer) }
  }

  /// Lets the rest of all archives be sent.
  package func release() { isReleased.withLock { $0 = true } }

  /// Stops listening.
  package func close() { listener.close() }

  private func answer(_ path: String, to peer: Int32) -> Bool {
    var name = path
    while let slash = name.firstIndex(of: "/") { name = String(name[name.index(after: slash)...]) }
    guard let content = TestFolder.bytes(of: folder + "/" + name) else {
      return send(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8)[...], to: peer)
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"
    guard send(Array(head.utf8)[...], to: peer) else { return false }
    guard name.hasSuffix(".deb") else { return send(content[...], to: peer) }
    if let pace {
      for start in stride(from: 0, to: content.count, by: pace) {
        usleep(20_000)
        guard send(content[start..<min(start + pace, content.count)], to: peer) else {
          return false
        }
      }
      return true
    }
    let half = content.count / 2
    guard send(content[..<half], to: peer) else { return false }
    while !isReleased.withLock({ $0 }) { usleep(5_000) }
    return send(content[half...], to: peer)
  }

  private func send(_ bytes: ArraySlice<UInt8>, to peer: Int32) -> Bool {
    LoopbackListener.send("", bytes, to: peer)
  }
}

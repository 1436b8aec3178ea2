internal import Glibc
internal import Synchronization

/// A web server on the loopback that keeps archives half sent until it is told to go on.
///
/// Serves the files of one folder to apt. Of a name that ends in `.deb` only the first half is sent
/// before ``release()``; with a pace, all of it is sent at that pace.
package final class HeldServer: Sendable {
  /// The port that the kernel chose.
  package let port: UInt16
  private let folder: String
  private let listener: Int32
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
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw FixtureError("cannot listen on the loopback") }
    port = UInt16(bigEndian: address.sin_port)
    spawn { [self] in
      while true {
        let peer = accept(listener, nil, nil)
        guard peer >= 0 else { return }
        spawn { self.serve(peer) }
      }
    }
  }

  /// Lets the rest of all archives be sent.
  package func release() { isReleased.withLock { $0 = true } }

  /// Stops listening.
  package func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ peer: Int32) {
    defer { Glibc.close(peer) }
    var pending = ""
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(peer, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      pending += String(decoding: buffer[..<count], as: UTF8.self)
      while let end = pending.utf8.split(separator: 0x0A).first, pending.contains("\r\n\r\n") {
        let words = String(decoding: end, as: UTF8.self).split(separator: " ")
        let rest = pending.utf8
        var index = rest.startIndex
        while !rest[index...].starts(with: "\r\n\r\n".utf8) { index = rest.index(after: index) }
        pending = String(pending[rest.index(index, offsetBy: 4)...])
        guard words.count > 1, answer(String(words[1]), to: peer) else { return }
      }
    }
  }

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
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private func spawn(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
    unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, context)
    pthread_detach(thread)
  }
}

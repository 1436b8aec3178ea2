internal import Glibc

/// A web server's place on the loopback: a port that the kernel chose, and a thread for each peer.
package final class LoopbackListener: Sendable {
  /// The port that the kernel chose.
  package let port: UInt16
  private let descriptor: Int32

  /// Begins to listen.
  ///
  /// - Throws: `FixtureError` when the loopback has no port left.
  package init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw FixtureError("cannot listen on the loopback") }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Calls `answer` with the path of each request, on the thread of its peer, until it says that the
  /// connection is to end.
  package func serve(_ answer: @escaping @Sendable (_ path: String, _ peer: Int32) -> Bool) {
    serveHeads { head, peer in
      let words = head.split(separator: " ")
      return words.count > 1 && answer(String(words[1]), peer)
    }
  }

  /// The same with the whole head of each request.
  func serveHeads(_ answer: @escaping @Sendable (_ head: String, _ peer: Int32) -> Bool) {
    let descriptor = descriptor
    Thread.start {
      while true {
        let peer = accept(descriptor, nil, nil)
        guard peer >= 0 else { return }
        _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
        Thread.start { Self.converse(peer, answer) }
      }
    }
  }

  /// Stops listening.
  package func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
  }

  private static func converse(_ peer: Int32, _ answer: (String, Int32) -> Bool) {
    defer { Glibc.close(peer) }
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while true {
      while let end = end(of: pending) {
        let head = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(..<(end + 4))
        guard answer(head, peer) else { return }
      }
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(peer, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return }
      pending += buffer[..<count]
    }
  }

  private static func end(of request: [UInt8]) -> Int? {
    request.indices.first { request[$0...].starts(with: "\r\n\r\n".utf8) }
  }

  /// Sends a head and what follows it; false where the peer is gone.
  static func send(_ head: String, _ content: ArraySlice<UInt8> = [], to peer: Int32) -> Bool {
    var rest = (Array(head.utf8) + content)[...]
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

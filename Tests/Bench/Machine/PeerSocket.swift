internal import Glibc

/// A connection to an engine's socket that never waits, for clients that do not speak as they should.
enum PeerSocket: Sendable {
  /// Connects.
  ///
  /// - Returns: The descriptor; -1 when nobody lets it in.
  static func connect(to path: String) -> Int32 {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | 0o2004000, 0)
    guard socket >= 0 else { return -1 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(socket)
      return -1
    }
    return socket
  }

  /// Sends what there is room for; false when the connection is gone.
  @discardableResult
  static func send(_ text: String, to socket: Int32) -> Bool {
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 || errno == EAGAIN
  }

  /// Whether the other side has not closed it.
  static func isOpen(_ socket: Int32) -> Bool {
    var entry = pollfd(fd: socket, events: 0, revents: 0)
    return unsafe poll(&entry, 1, 0) == 0
  }
}

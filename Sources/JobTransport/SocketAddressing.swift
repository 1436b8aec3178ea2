internal import Glibc

/// Calls `body` with the address of a Unix socket; nil if the path is empty, too long or contains a
/// zero byte.
func withUnixAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  guard !bytes.isEmpty, bytes.count <= longestSocketPath, !bytes.contains(0) else { return nil }
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}

/// Length of the longest path of a Unix socket, in bytes (`unix(7)`: 108 with the closing zero).
let longestSocketPath = 107

/// The text of a system error.
func explain(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

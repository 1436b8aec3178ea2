internal import Glibc

/// Who is at the other end of a Unix socket, as the kernel says it (`unix(7)`, `SO_PEERCRED`).
///
/// The identity is that of the moment of `connect`; what the client says of itself has no part in it.
package struct PeerCredentials: Sendable, Hashable {
  package var pid: Int32
  /// The effective user id.
  package var uid: UInt32
  /// The effective primary group only; other groups have to be looked up.
  package var gid: UInt32

  package init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// The peer of a connected socket; nil when the kernel does not tell.
  package init?(descriptor: Int32) {
    // `struct ucred` is hidden from Swift; it is these three numbers.
    var found: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: found))
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &found, &length)
    guard status == 0 else { return nil }
    self.init(pid: found.pid, uid: found.uid, gid: found.gid)
  }
}

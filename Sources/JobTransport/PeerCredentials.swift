internal import Glibc

/// The identity of the peer of a Unix socket, as given by the kernel (`unix(7)`, `SO_PEERCRED`).
///
/// The kernel records the identity at `connect`. Data from the client has no influence on it.
package struct PeerCredentials: Sendable, Hashable {
  package var pid: Int32
  /// The effective user id.
  package var uid: UInt32
  /// The effective primary group; supplementary groups are not included.
  package var gid: UInt32

  package init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// The peer of a connected socket; nil if the kernel does not give it.
  package init?(descriptor: Int32) {
    // Swift does not import `struct ucred`, which consists of these three numbers.
    var found: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: found))
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &found, &length)
    guard status == 0 else { return nil }
    self.init(pid: found.pid, uid: found.uid, gid: found.gid)
  }
}

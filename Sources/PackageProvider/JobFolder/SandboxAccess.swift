internal import CProcess
internal import Glibc

/// apt's sandbox user `_apt`, as which apt fetches when it runs as root.
package enum SandboxUser: Sendable {
  /// Finds the numbers of the user and of its primary group; nil where there is no such user.
  ///
  /// Blocks while the user database is a service that does not answer. Do not call it on a thread
  /// that other work needs.
  package static func find() -> (user: UInt32, group: UInt32)? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    let status = unsafe getpwnam_r("_apt", &entry, &buffer, buffer.count, &found)
    return unsafe status == 0 && found != nil ? (entry.pw_uid, entry.pw_gid) : nil
  }
}

/// The access of apt's sandbox user `_apt` to a file or folder that only its owner can use
/// otherwise.
///
/// apt that runs as root fetches as that user. On Debian the user's group is `nogroup`, which other
/// users may have too, so the access is an entry for the user in the access control list (acl(5)).
package enum SandboxAccess: Sendable {
  /// Read a file.
  case read
  /// Enter a folder, without listing it.
  case pass

  /// Restricts a file or folder to its owner and grants this access to the sandbox user.
  ///
  /// Reads the user database; see ``SandboxUser/find()``.
  ///
  /// - Parameter descriptor: The open file or folder, owned by this process's user.
  /// - Returns: Whether the sandbox user has the access. False where this process is not root,
  ///   where there is no such user, and where the file system has no access control lists; then
  ///   only the owner has access.
  @discardableResult
  package func grant(on descriptor: Int32) -> Bool {
    fchmod(descriptor, self == .read ? 0o600 : 0o700)
    guard geteuid() == 0, let account = SandboxUser.find() else { return false }
    let list = list(for: account.user)
    return unsafe attribute_set(descriptor, "system.posix_acl_access", list, list.count) == 0
  }

  /// The access control list in the kernel's format of the extended attribute
  /// (linux/posix_acl_xattr.h).
  private func list(for user: UInt32) -> [UInt8] {
    let (owner, other): (UInt16, UInt16) = self == .read ? (6, 4) : (7, 1)
    let nobody = UInt32.max
    // Owner, user, group, mask, other users: in the order of their tags.
    let entries: [(tag: UInt16, permission: UInt16, id: UInt32)] = [
      (0x01, owner, nobody), (0x02, other, user), (0x04, 0, nobody), (0x10, other, nobody),
      (0x20, 0, nobody),
    ]
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
      unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) }
    }
    return entries.reduce(into: bytes(UInt32(2))) {
      $0 += bytes($1.tag) + bytes($1.permission) + bytes($1.id)
    }
  }
}

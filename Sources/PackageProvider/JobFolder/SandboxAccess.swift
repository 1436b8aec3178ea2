internal import CProcess
internal import Glibc

/// apt's sandbox user `_apt`, as which apt that is root fetches.
package enum SandboxUser: Sendable {
  /// The user's number and that of its primary group; nil where there is no such user.
  ///
  /// The user database may be a service that does not answer: not to be called on a thread that others
  /// need.
  package static func find() -> (user: UInt32, group: UInt32)? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    let status = unsafe getpwnam_r("_apt", &entry, &buffer, buffer.count, &found)
    return unsafe status == 0 && found != nil ? (entry.pw_uid, entry.pw_gid) : nil
  }
}

/// What apt's sandbox user `_apt` may do with a file or folder that is otherwise its owner's alone.
///
/// apt that is root fetches as that user. It belongs to the group `nogroup` on Debian, as other users
/// may, so the permission is an entry for the user in the access control list (acl(5)).
package enum SandboxAccess: Sendable {
  /// Read a file.
  case read
  /// Pass through a folder, without listing it.
  case pass

  /// Gives a file or folder to its owner, and this access to the sandbox user.
  ///
  /// Asks the user database; see ``SandboxUser/find()``.
  ///
  /// - Parameter descriptor: The open file or folder, of this process's user.
  /// - Returns: Whether the sandbox user has the access; false where this process is not root, where
  ///   there is no such user, and where the file system has no access control lists. The file or folder
  ///   is its owner's alone then.
  @discardableResult
  package func grant(on descriptor: Int32) -> Bool {
    fchmod(descriptor, self == .read ? 0o600 : 0o700)
    guard geteuid() == 0, let account = SandboxUser.find() else { return false }
    let list = list(for: account.user)
    return unsafe attribute_set(descriptor, "system.posix_acl_access", list, list.count) == 0
  }

  /// The list in the form of the kernel's extended attribute (linux/posix_acl_xattr.h).
  private func list(for user: UInt32) -> [UInt8] {
    let (owner, other): (UInt16, UInt16) = self == .read ? (6, 4) : (7, 1)
    let nobody = UInt32.max
    // Owner, user, group, mask, everybody else: in the order of their tags.
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

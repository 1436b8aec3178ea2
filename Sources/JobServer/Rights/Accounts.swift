internal import Glibc
internal import HostSystem

/// Queries of the system's users and groups, without a cache.
package enum Accounts: Sendable {
  /// The user's name; the uid as text if the user has no name.
  package static func name(of uid: UInt32) -> String {
    unsafe withPassword(of: uid) { unsafe String(cString: $0.pw_name) } ?? String(uid)
  }

  /// Whether the group is the user's primary or a supplementary group (`getgrouplist(3)`).
  package static func isMember(_ uid: UInt32, of group: String) -> Bool {
    guard let wanted = number(of: group) else { return false }
    return unsafe withPassword(of: uid) { entry in
      var count: Int32 = 64
      var groups = [gid_t](repeating: 0, count: Int(count))
      guard let name = unsafe entry.pw_name else { return false }
      while unsafe getgrouplist(name, entry.pw_gid, &groups, &count) < 0 {
        guard count > Int32(groups.count), count < 1 << 17 else { return false }
        groups = [gid_t](repeating: 0, count: Int(count))
      }
      return groups.prefix(Int(count)).contains(wanted)
    } ?? false
  }

  /// The command name of a process (`/proc/PID/comm`); nil if the process is gone.
  ///
  /// The process can choose the name, so it is sanitised.
  package static func command(of pid: Int32) -> String? {
    guard let text = RootFiles.text(of: "/proc/\(pid)/comm", limit: 64), !text.isEmpty else {
      return nil
    }
    return Sanitised.line(text.last == "\n" ? text.dropLast() : text[...])
  }

  private static func number(of group: String) -> gid_t? {
    var entry = unsafe Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 1 << 16)
    let status = unsafe getgrnam_r(group, &entry, &buffer, buffer.count, &found)
    return unsafe status == 0 && found != nil ? entry.gr_gid : nil
  }

  private static func withPassword<R>(of uid: UInt32, _ body: (passwd) -> R) -> R? {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 14)
    return unsafe buffer.withUnsafeMutableBufferPointer { buffer -> R? in
      guard let start = buffer.baseAddress else { return nil }
      let status = unsafe getpwuid_r(uid, &entry, start, buffer.count, &found)
      guard unsafe status == 0 && found != nil else { return nil }
      return unsafe body(entry)
    }
  }
}

import Glibc
import InstallJobs

/// A user that nothing else on the machine is: what package scripts without chroot run as.
enum UnusedUser: Sendable {
  /// Becomes such a user for good, giving it the given folders.
  ///
  /// The program file itself need not be readable to that user: it is running already.
  ///
  /// - Parameter folders: Absolute paths; made if they are not there.
  /// - Throws: `notPermitted` when no user is free or the rights cannot be given up.
  static func become(owning folders: [String]) throws(InstallationError) {
    guard let uid = free() else {
      throw InstallationError(
        .notPermitted, "no unused user id is free on this machine", class: .fatal,
        hint: "run 'fettle try' as an ordinary user")
    }
    for folder in folders {
      unsafe mkdir(folder, 0o700)
      unsafe chown(folder, uid, uid)
    }
    if let last = folders.last { RuntimeLibraries.keepReadable(in: last + "/lib", for: uid) }
    setgroups(0, nil)
    guard setgid(uid) == 0, setuid(uid) == 0, geteuid() == uid, setuid(0) != 0 else {
      throw InstallationError(
        .notPermitted, "cannot give up the rights of root", class: .fatal,
        hint: "run 'fettle try' as an ordinary user")
    }
    unsafe setenv("HOME", "/", 1)
    for name in ["USER", "LOGNAME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
      unsafe unsetenv(name)
    }
    unsafe chdir("/")
  }

  /// The first id above those that Debian and systemd hand out (policy 9.2.2) that nobody has.
  private static func free() -> uid_t? {
    (62_000...64_999).first { id in
      unsafe getpwuid(id) == nil && getgrgid(id) == nil
    }
  }
}

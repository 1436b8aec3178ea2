import CProcess
import Glibc
import HostSystem
import InstallJobs
import JobServer

/// A user that nothing else on the machine is: what package scripts without chroot run as.
enum UnusedUser: Sendable {
  /// Becomes such a user for good and gives it a folder of root's and perhaps a package root.
  ///
  /// Only what cannot be anybody else's is given away: a folder that root alone can enter, and a
  /// package root that is made here or was one such user's before. A folder that already has such an
  /// owner makes the process that user again.
  ///
  /// - Parameters:
  ///   - home: The folder for socket and state; closed to everybody but root.
  ///   - packageRoot: Where the package root is or will be, when it is not in `home`.
  /// - Throws: `badRoot` for a package root that is somebody's; `busy`; `notPermitted` when no user is free, when
  ///   another user can change a folder above them,
  ///   or the rights cannot be given up.
  static func become(
    owning home: String, and packageRoot: String?
  ) throws(InstallationError) {
    for path in [home, packageRoot].compactMap(\.self) {
      try Trust.require(folderOfTry: AbsolutePath.of(path))
    }
    let place = try Folder(opening: home)
    let root = try packageRoot.map { path throws(InstallationError) in try Folder(making: path) }
    let former = root?.formerOwner ?? place.formerOwner
    guard let uid = former ?? UnusedUserID.find() else {
      throw InstallationError(
        .notPermitted, "no unused user id is free on this machine", class: .fatal,
        hint: "run 'fettle try' as an ordinary user")
    }
    try TryUserLock.acquire(uid, isNew: former == nil)
    // While the folder is still root's nobody can have put anything into it.
    let libraries = home + "/lib"
    if place.owner == 0 {
      RuntimeLibraries.keepReadable(in: libraries, for: uid)
    } else if unsafe access(libraries, F_OK) == 0 {
      unsafe setenv("LD_LIBRARY_PATH", libraries, 1)
    }
    for folder in [place, root].compactMap(\.self) { try folder.give(to: uid) }
    // No program gets it more rights again, whatever its permission bits say.
    guard setgroups(0, nil) == 0, getgroups(0, nil) == 0, setgid(uid) == 0,
      setuid(uid) == 0, geteuid() == uid, getegid() == uid, setuid(0) != 0,
      process_no_new_privileges() == 0
    else {
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

  /// Whether a folder is one that root alone can enter.
  static func isRoots(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == 0 && status.st_mode & 0o077 == 0
  }

  /// A folder that is held open, so that what is given away is what was looked at.
  private final class Folder {
    let path: String
    let descriptor: Int32
    let owner: uid_t

    /// Opens a folder that root alone can enter, or that is such a user's already.
    convenience init(opening path: String) throws(InstallationError) {
      try self.init(path, isNew: false)
      guard owner != 0 || mode & 0o077 == 0 else { throw Self.usedError(path) }
    }

    /// Makes a folder, or opens a private package root that is such a user's already.
    convenience init(making path: String) throws(InstallationError) {
      let isNew = unsafe mkdir(path, 0o700) == 0
      try self.init(path, isNew: isNew)
      let isMarked = unsafe access(path + "/.fettle-root", F_OK) == 0
      guard isNew || (owner != 0 && isMarked) else { throw Self.usedError(path) }
    }

    private let mode: mode_t

    private init(_ path: String, isNew: Bool) throws(InstallationError) {
      let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.usedError(path) }
      var status = stat()
      unsafe fstat(descriptor, &status)
      self.path = path
      self.descriptor = descriptor
      owner = status.st_uid
      mode = status.st_mode
      guard owner == 0 || UnusedUserID.contains(owner) else { throw Self.usedError(path) }
    }

    deinit { close(descriptor) }

    /// The unused user whose folder it was before; nil for root's.
    var formerOwner: uid_t? { UnusedUserID.contains(owner) ? owner : nil }

    func give(to uid: uid_t) throws(InstallationError) {
      guard owner != uid, fchown(descriptor, uid, uid) != 0 else { return }
      throw InstallationError(
        .notPermitted, "cannot give '\(path)' to another user", class: .fatal,
        hint: "name a folder on a local file system")
    }

    private static func usedError(_ path: String) -> InstallationError {
      InstallationError(
        .badRoot, "'\(path)' cannot be used: it is there already, or somebody's", class: .fatal,
        hint: "name a folder that does not exist yet")
    }
  }
}

import CProcess
import Glibc
import HostSystem
import InstallJobs
import JobServer

/// The unused user id under which package scripts without chroot run.
enum UnusedUser: Sendable {
  /// Changes this process permanently to an unused user, and gives that user a folder of root's and
  /// perhaps a package root.
  ///
  /// Only a folder that root alone can enter is given away, and a package root that is created here
  /// or belonged to an unused user before. If one of the folders already belongs to an unused user,
  /// the process becomes that user again.
  ///
  /// - Parameters:
  ///   - home: The folder for socket and state, closed to all users but root.
  ///   - packageRoot: The path of the package root when it is not in `home`.
  /// - Throws: `badRoot` for a package root of another user; `busy` when another engine has the
  ///   user id; `notPermitted` when no id is free, when another user can change a parent folder, or
  ///   when the rights cannot be given up.
  static func switchUser(
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
    // While the folder belongs to root, no other user can have put a file into it.
    let libraries = home + "/lib"
    if place.owner == 0 {
      RuntimeLibraries.keepReadable(in: libraries, for: uid)
    } else if unsafe access(libraries, F_OK) == 0 {
      unsafe setenv("LD_LIBRARY_PATH", libraries, 1)
    }
    for folder in [place, root].compactMap(\.self) { try folder.give(to: uid) }
    // No program can raise the rights again, whatever its permission bits say.
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

  /// An open folder, so that the folder given away is the folder that was checked.
  private final class Folder {
    let path: String
    let descriptor: Int32
    let owner: uid_t

    /// Opens a folder that root alone can enter, or that belongs to an unused user.
    convenience init(opening path: String) throws(InstallationError) {
      try self.init(path, isNew: false)
      guard owner != 0 || mode & 0o077 == 0 else { throw Self.usedError(path) }
    }

    /// Creates a folder, or opens a private package root that belongs to an unused user.
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

    /// The unused user who owns the folder; nil for root's folder.
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

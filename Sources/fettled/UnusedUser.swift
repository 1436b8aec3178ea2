import Glibc
import InstallJobs

/// A user that nothing else on the machine is: what package scripts without chroot run as.
enum UnusedUser: Sendable {
  /// Above what Debian and systemd hand out (policy 9.2.2), below `nobody`.
  private static let range: ClosedRange<uid_t> = 62_000...64_999

  /// Becomes such a user for good and gives it a folder of root's and perhaps a package root.
  ///
  /// Only what cannot be anybody else's is given away: a folder that root alone can enter, and a
  /// package root that is made here or was one such user's before. A folder that already has such an
  /// owner makes the process that user again.
  ///
  /// - Parameters:
  ///   - home: The folder for socket and state; closed to everybody but root.
  ///   - packageRoot: Where the package root is or will be, when it is not in `home`.
  /// - Throws: `badRoot` for a package root that is somebody's; `notPermitted` when no user is free
  ///   or the rights cannot be given up.
  static func become(
    owning home: String, and packageRoot: String?
  ) throws(InstallationError) {
    let place = try Folder(opening: home)
    let root = try packageRoot.map { path throws(InstallationError) in try Folder(making: path) }
    guard let uid = root?.formerOwner(in: range) ?? place.formerOwner(in: range) ?? free() else {
      throw InstallationError(
        .notPermitted, "no unused user id is free on this machine", class: .fatal,
        hint: "run 'fettle try' as an ordinary user")
    }
    // While the folder is still root's nobody can have put anything into it.
    let libraries = home + "/lib"
    if place.owner == 0 {
      RuntimeLibraries.keepReadable(in: libraries, for: uid)
    } else if unsafe access(libraries, F_OK) == 0 {
      unsafe setenv("LD_LIBRARY_PATH", libraries, 1)
    }
    for folder in [place, root].compactMap(\.self) { try folder.give(to: uid) }
    guard setgroups(0, nil) == 0, getgroups(0, nil) == 0, setgid(uid) == 0,
      setuid(uid) == 0, geteuid() == uid, getegid() == uid, setuid(0) != 0
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

  /// An id that no account, group or process has.
  private static func free() -> uid_t? {
    let busy = ownersOfProcesses()
    let start = uid_t(getpid()) % uid_t(range.count)
    return (0..<uid_t(range.count)).lazy
      .map { range.lowerBound + (start + $0) % uid_t(range.count) }
      .first { id in
        unsafe !busy.contains(id) && getpwuid(id) == nil && getgrgid(id) == nil
      }
  }

  private static func ownersOfProcesses() -> Set<uid_t> {
    var owners: Set<uid_t> = []
    guard let processes = unsafe opendir("/proc") else { return owners }
    defer { unsafe closedir(processes) }
    while let entry = unsafe readdir(processes) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { continue }
      var status = stat()
      if unsafe stat("/proc/\(name)", &status) == 0 { owners.insert(status.st_uid) }
    }
    return owners
  }

  /// A folder that is held open, so that what is given away is what was looked at.
  private final class Folder {
    let path: String
    let descriptor: Int32
    let owner: uid_t

    /// Opens a folder that root alone can enter, or that is such a user's already.
    convenience init(opening path: String) throws(InstallationError) {
      try self.init(path, isNew: false)
      guard owner != 0 || mode & 0o077 == 0 else { throw Self.taken(path) }
    }

    /// Makes a folder, or opens a private package root that is such a user's already.
    convenience init(making path: String) throws(InstallationError) {
      let isNew = unsafe mkdir(path, 0o700) == 0
      try self.init(path, isNew: isNew)
      let isMarked = unsafe access(path + "/.fettle-root", F_OK) == 0
      guard isNew || (owner != 0 && isMarked) else { throw Self.taken(path) }
    }

    private let mode: mode_t

    private init(_ path: String, isNew: Bool) throws(InstallationError) {
      let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.taken(path) }
      var status = stat()
      unsafe fstat(descriptor, &status)
      self.path = path
      self.descriptor = descriptor
      owner = status.st_uid
      mode = status.st_mode
      guard owner == 0 || UnusedUser.range.contains(owner) else { throw Self.taken(path) }
    }

    deinit { close(descriptor) }

    /// The unused user whose folder it was before; nil for root's.
    func formerOwner(in range: ClosedRange<uid_t>) -> uid_t? { range.contains(owner) ? owner : nil }

    func give(to uid: uid_t) throws(InstallationError) {
      guard owner != uid, fchown(descriptor, uid, uid) != 0 else { return }
      throw InstallationError(
        .notPermitted, "cannot give '\(path)' to another user", class: .fatal,
        hint: "name a folder on a local file system")
    }

    private static func taken(_ path: String) -> InstallationError {
      InstallationError(
        .badRoot, "'\(path)' cannot be used: it is there already, or somebody's", class: .fatal,
        hint: "name a folder that does not exist yet")
    }
  }
}

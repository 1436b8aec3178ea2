internal import Glibc
internal import HostSystem
package import InstallJobs

/// The folders of an engine's state, and their access rights.
///
/// apt that runs as root fetches archives as a user without rights, who needs to pass through to
/// the job's own folder; otherwise apt fetches as root. That user may pass through the state folder
/// and its `jobs`, but cannot list or read them: journal and logs are for the owner only.
package struct StateFolders: Sendable {
  /// The state folder's absolute path.
  package let path: String

  /// - Parameter path: The state folder, in any spelling; see ``AbsolutePath``.
  package init(path: String) { self.path = AbsolutePath.of(path) }

  /// Creates the missing folders.
  ///
  /// - Throws: `invalidArgument` for a path that apt's configuration cannot contain; `notPermitted`
  ///   if a folder is not trusted or not writable.
  package func make() throws(InstallationError) {
    guard
      path.unicodeScalars.allSatisfy({
        $0.value >= 0x20 && ![0x22, 0x3A, 0x5C, 0x7F].contains($0.value)
      })
    else {
      throw InstallationError(
        .invalidArgument,
        "the path of the state folder holds a quote, a colon, a backslash or a control character",
        class: .fatal, hint: "name a folder with a plain name with --state")
    }
    // All checks come before the first change.
    try requireTrust()
    for folder in passages { try Self.make(folder, mode: 0o711, below: path) }
    for name in ["archives", "cache"] {
      try Self.make("\(path)/\(name)", mode: 0o700, below: path)
    }
  }

  /// Throws unless the state folder and its own folders, as far as they exist, are real folders of
  /// this user, not writable by others, and contain no symbolic links.
  ///
  /// The folder of a job is checked when it is used.
  private func requireTrust() throws(InstallationError) {
    try Self.requirePlace(path)
    let folders = [path] + ["jobs", "archives", "cache", "reserve"].map { "\(path)/\($0)" }
    for folder in folders {
      var record = stat()
      let isThere = unsafe lstat(folder, &record) == 0
      let isLink = isThere && folder != path && record.st_mode & S_IFMT == S_IFLNK
      guard !isLink else { throw Self.refusedLink(folder) }
      guard unsafe stat(folder, &record) == 0 else { continue }
      guard record.st_uid == geteuid() else {
        throw Self.refused(folder, "\(UntrustedPath(folder, .owner(record.st_uid)))")
      }
      guard record.st_mode & 0o022 == 0 else {
        throw Self.refused(folder, "\(UntrustedPath(folder, .writable(record.st_mode)))")
      }
    }
    for folder in folders { try Self.refuseLinks(in: folder) }
  }

  private static func refuseLinks(in folder: String) throws(InstallationError) {
    guard let stream = unsafe opendir(folder) else { return }
    defer { unsafe closedir(stream) }
    while let entry = unsafe readdir(stream) {
      let kind = unsafe Int(entry.pointee.d_type)
      guard kind == Int(DT_LNK) || kind == Int(DT_UNKNOWN) else { continue }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      var record = stat()
      guard unsafe lstat("\(folder)/\(name)", &record) == 0, record.st_mode & S_IFMT == S_IFLNK
      else { continue }
      throw refusedLink("\(folder)/\(name)")
    }
  }

  /// Throws unless a folder is in a trusted and writable place, or can be created there; creates
  /// nothing.
  private static func requirePlace(_ path: String) throws(InstallationError) {
    let existing: String
    if geteuid() == 0 {
      do throws(UntrustedPath) {
        existing = try TrustedPath.existing(path).existing
      } catch {
        throw refused(path, "\(error)")
      }
    } else {
      existing = deepestExisting(path)
    }
    guard unsafe access(existing, W_OK | X_OK) == 0 else { throw unwritable(path) }
  }

  /// The path itself if it exists, else the deepest existing folder above it.
  private static func deepestExisting(_ path: String) -> String {
    var (place, record) = (path, stat())
    while unsafe stat(place, &record) != 0, place != "/", let slash = place.lastIndex(of: "/") {
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
    return place
  }

  private static func refusedLink(_ path: String) -> InstallationError {
    refused(path, "it is a symbolic link in a state folder")
  }

  private static func refused(_ path: String, _ reason: String) -> InstallationError {
    InstallationError(
      .notPermitted, "cannot keep state in '\(path)': \(reason)", class: .fatal,
      hint: "name a folder of the engine's own user with --state")
  }

  private static func unwritable(_ path: String) -> InstallationError {
    InstallationError(
      .notPermitted, "cannot write in '\(path)'", class: .fatal,
      hint: "name another one with --state and --socket, or run the engine as its owner")
  }

  /// Adds the right for others to pass through the state folder and `jobs`, where an earlier engine
  /// or an administrator created them for the owner alone.
  ///
  /// Changes no other right.
  ///
  /// - Returns: The folders that were changed, and the first folder on the path from `/` that
  ///   others still cannot pass through; nil if there is none. The engine does not change folders
  ///   above the state folder or folders of other users.
  package func allowTraversal() -> (opened: [String], barred: String?) {
    var opened: [String] = []
    for folder in passages {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
      let file = unsafe open(folder, flags)
      guard file >= 0 else { return (opened, folder) }
      defer { close(file) }
      var record = stat()
      guard unsafe fstat(file, &record) == 0 else { return (opened, folder) }
      if record.st_mode & 0o001 == 0, record.st_uid == geteuid(),
        fchmod(file, record.st_mode & 0o7777 | 0o001) == 0
      {
        opened.append(folder)
      }
    }
    var way = ""
    for part in ([""] + "\(path)/jobs".split(separator: "/").map(String.init)) {
      way += part.isEmpty ? "" : "/" + part
      var record = stat()
      let folder = way.isEmpty ? "/" : way
      guard unsafe stat(folder, &record) == 0, record.st_mode & 0o001 != 0 else {
        return (opened, folder)
      }
    }
    return (opened, nil)
  }

  private var passages: [String] { [path, "\(path)/jobs"] }

  /// Creates a folder and the missing folders above it.
  ///
  /// - Parameters:
  ///   - path: The folder, an ``AbsolutePath``.
  ///   - mode: The mode of new folders at and below `base`.
  ///   - base: An ``AbsolutePath``. New folders outside it get mode 0755.
  /// - Throws: `notPermitted` if the folder is not trusted or not writable.
  package static func make(
    _ path: String, mode: UInt32, below base: String
  ) throws(InstallationError) {
    if path != base { try requireParent(path) }
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      unsafe mkdir(made, made == base || made.hasPrefix(base + "/") ? mode : 0o755)
    }
    guard unsafe access(path, W_OK | X_OK) == 0 else { throw unwritable(path) }
  }

  /// Throws unless a folder may be created or used.
  ///
  /// For root, no other user may be able to replace its entries.
  private static func requireParent(_ path: String) throws(InstallationError) {
    do throws(UntrustedPath) {
      try TrustedPath.requireEntriesForRoot(in: path)
    } catch {
      throw InstallationError(
        .notPermitted, "root must not use '\(path)': \(error)", class: .fatal, hint: error.hint)
    }
    guard unsafe access(deepestExisting(path), W_OK | X_OK) == 0 else { throw unwritable(path) }
  }
}

internal import Glibc
internal import HostSystem
internal import InstallJobs

/// The check of who can change a package root, which decides who may open it.
extension PackageRoot {
  /// Throws unless a user may rely on the content of the root.
  ///
  /// Files of the root configure apt and dpkg. So a user who can change these files acts with the
  /// rights of the user who opens the root. This check reads only the marker, owners and permission
  /// bits of the root.
  ///
  /// - A private root may be opened only by the user who owns it. Root is refused too: the root's
  ///   own `apt.conf.d` may name programs.
  /// - Another tree may be opened where its folder, all folders above it and the deciding files
  ///   belong to root or to the user, and no other user can write them.
  /// - `/` is the machine itself and needs no check.
  ///
  /// - Throws: `notPermitted`, naming path and owner.
  func requireTrust(of user: UInt32) throws(InstallationError) {
    switch kind {
    case .system: return
    case .privateRoot:
      try requireOwner(user)
      try requireTrust(in: [Self.markerName] + Self.files, of: user)
    case .chroot:
      if user == 0 {
        try require { () throws(UntrustedPath) in try TrustedPath.requireOwnDisk(of: path) }
      }
      try requireTrust(in: Self.treeFolders + Self.files, of: user)
      for program in ["usr/bin/dpkg", "bin/sh"] where RootFiles.linkExists(self.path(program)) {
        try require { () throws(UntrustedPath) in
          _ = try TrustedPath(self.path(program), owners: [user], base: path)
        }
      }
    }
  }

  private static let treeFolders = ["etc", "var", "var/lib", "var/cache", "var/log"]

  private static let files = [
    "var/lib/apt", "var/lib/apt/extended_states", "var/cache/apt", "var/cache/apt/pkgcache.bin",
    "var/cache/apt/srcpkgcache.bin",
  ]

  /// Folders checked with all their content: settings, the database, and the scripts that dpkg
  /// runs.
  private static let wholeFolders = ["etc/apt", "var/lib/dpkg"]

  /// Folders whose files are checked.
  ///
  /// apt's user owns subfolders in them, and apt checks the files that are fetched there.
  private static let foldersOfFiles = [
    "var/lib/apt/lists", "var/cache/apt/archives", "var/log/apt",
  ]

  private func requireOwner(_ user: UInt32) throws(InstallationError) {
    let owner = RootFiles.status(path)?.owner ?? 0
    guard user == 0 || owner != user else { return }
    guard owner != 0 else {
      throw InstallationError(
        .notPermitted,
        "cannot open the private root \(path): it belongs to root, and package scripts would act on"
          + " the host with root's rights",
        hint: "make a root as the ordinary user who is to use it: 'fettle root create DIR'")
    }
    let name = Self.userName(owner)
    throw InstallationError(
      .notPermitted,
      "cannot open the private root \(path) as \(Self.userName(user)): it belongs to \(name), and only"
        + " its owner may open it",
      hint: "run this as \(name), who owns it")
  }

  private func requireTrust(in names: [String], of user: UInt32) throws(InstallationError) {
    try require { () throws(UntrustedPath) in _ = try TrustedPath(path, owners: [user]) }
    for name in names { try requireTrust(self.path(name), of: user) }
    for folder in Self.foldersOfFiles where try requireTrust(self.path(folder), of: user) {
      for file in try entries(of: self.path(folder)) where !RootFiles.isFolder(file) {
        try requireTrust(file, of: user)
      }
    }
    for folder in Self.wholeFolders { try requireTrust(inWhole: self.path(folder), of: user) }
  }

  private func requireTrust(inWhole folder: String, of user: UInt32) throws(InstallationError) {
    var pending = [folder]
    var count = 0
    while let file = pending.popLast() {
      count += 1
      // Limits the search: a link to a parent folder would make it endless.
      guard count <= 200_000, file.utf8.count < 4000 else {
        throw Self.unusable(
          path,
          "there are more files in its \(folder.dropFirst(path.utf8.count + 1)) than can be checked",
          hint: "remove what does not belong there")
      }
      if try requireTrust(file, of: user), RootFiles.isFolder(file) {
        pending += try entries(of: file)
      }
    }
  }

  /// Throws where another user can change a file.
  ///
  /// - Returns: Whether the file exists.
  @discardableResult
  private func requireTrust(_ file: String, of user: UInt32) throws(InstallationError) -> Bool {
    try require { () throws(UntrustedPath) in
      try TrustedPath.existing(file, owners: [user]).missing.isEmpty
    }
  }

  private func entries(of folder: String) throws(InstallationError) -> [String] {
    guard let names = RootFiles.readableNames(in: folder) else {
      let reason = unsafe String(cString: strerror(errno))
      throw Self.unusable(
        path, "'\(folder)' cannot be read: \(reason)", hint: "check its owner and mode")
    }
    return names.map { "\(folder)/\($0)" }
  }

  @discardableResult
  private func require<Value>(
    _ body: () throws(UntrustedPath) -> Value
  ) throws(InstallationError) -> Value {
    do {
      return try body()
    } catch {
      throw InstallationError(
        .notPermitted, "cannot rely on the package root \(path): \(error)",
        hint: hint(for: error))
    }
  }

  private func hint(for error: UntrustedPath) -> String {
    if error.isMissing {
      return "name a system tree of Debian's kind, or make a root with 'fettle root create DIR'"
    }
    let isAboutDisk = [.claimedOwners, .usersDisk, .unknownDisk].contains(error.problem)
    guard kind == .chroot, !isAboutDisk else { return error.hint }
    return "everything that decides in a tree must be root's alone: correct owner and mode"
  }

  private static func userName(_ uid: UInt32) -> String { uid == 0 ? "root" : "user \(uid)" }
}

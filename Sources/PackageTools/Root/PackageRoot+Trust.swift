internal import FileTrust
internal import InstallJobs

/// Who may change a package root, which decides who may open it.
extension PackageRoot {
  /// Throws unless a user may rely on what the root contains.
  ///
  /// apt and dpkg are configured by files of the root, so whoever can change these files acts with the
  /// rights of whoever opens the root. Of the root only the marker, owners and permission bits are read
  /// here.
  ///
  /// - A private root is opened by the user who owns it and by nobody else. Root is refused, too: the
  ///   root's own `apt.conf.d` may name programs.
  /// - Another tree is opened where its folder, all folders above it and the files that decide belong
  ///   to root or to the user, and where nobody else may write them.
  /// - `/` is the machine itself, which needs no check.
  ///
  /// - Throws: `notPermitted`, naming path and owner.
  func requireTrust(of user: UInt32) throws(InstallationError) {
    switch kind {
    case .system: return
    case .privateRoot:
      try requireOwner(user)
      try requireTrust(in: Self.privateFiles, contentOf: ["etc/apt"], of: user)
    case .chroot:
      try requireTrust(in: Self.treeFiles, contentOf: ["etc/apt"], of: user)
      for program in ["usr/bin/dpkg", "bin/sh"] where RootFiles.linkExists(self.path(program)) {
        try require { () throws(UntrustedPath) in
          _ = try TrustedPath(self.path(program), owners: [user], base: path)
        }
      }
    }
  }

  private static let privateFiles = [
    markerName, "var/lib/dpkg", "var/lib/dpkg/status", "var/lib/dpkg/info", "var/lib/dpkg/updates",
    "var/lib/dpkg/arch", "var/lib/apt", "var/lib/apt/lists", "var/lib/apt/extended_states",
    "var/cache/apt",
  ]

  private static let treeFiles = [
    "etc", "var", "var/lib", "var/lib/dpkg", "var/lib/dpkg/status", "var/lib/dpkg/info",
    "var/lib/dpkg/updates", "var/lib/dpkg/arch", "var/lib/dpkg/diversions", "var/lib/apt",
    "var/lib/apt/lists", "var/lib/apt/extended_states", "var/cache/apt",
    "var/cache/apt/pkgcache.bin", "var/cache/apt/srcpkgcache.bin", "var/log",
  ]

  private func requireOwner(_ user: UInt32) throws(InstallationError) {
    let owner = RootFiles.trace(path)?.owner ?? 0
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

  private func requireTrust(
    in names: [String], contentOf folders: [String], of user: UInt32
  ) throws(InstallationError) {
    try require { () throws(UntrustedPath) in _ = try TrustedPath(path, owners: [user]) }
    var pending = (names + folders).map(self.path)
    let searched = Set(folders.map(self.path))
    var count = 0
    while let file = pending.popLast() {
      count += 1
      guard count <= 20_000 else {
        throw Self.unusable(
          path, "there are more than 20,000 files in its etc/apt", hint: "remove some")
      }
      let isThere = try require { () throws(UntrustedPath) in
        try TrustedPath.existing(file, owners: [user]).missing.isEmpty
      }
      guard isThere, searched.contains(where: { file == $0 || file.hasPrefix($0 + "/") }),
        RootFiles.isFolder(file)
      else { continue }
      // More than that no path may have; a link to a folder above it would lead on for ever.
      guard file.utf8.count < 4000 else { continue }
      pending += RootFiles.names(in: file).map { "\(file)/\($0)" }
    }
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
        hint: error.isMissing
          ? "name a system tree of Debian's kind, or make a root with 'fettle root create DIR'"
          : kind == .chroot
            ? "everything that decides in a tree must be root's alone: correct owner and mode"
            : error.hint)
    }
  }

  private static func userName(_ uid: UInt32) -> String { uid == 0 ? "root" : "user \(uid)" }
}

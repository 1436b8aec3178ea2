internal import Glibc
import HostSystem
package import InstallJobs

/// A folder with a package database: the machine itself, a system tree elsewhere, or a private
/// root.
///
/// A value that is checked once, when it is created; reading it changes nothing.
package struct PackageRoot: Sendable, Hashable {
  /// The kind of a root, which decides how packages are installed into it.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The running system.
    case system
    /// A complete system tree elsewhere; package scripts run in it with chroot(2).
    case chroot
    /// A folder with databases only; package scripts run on the host beside it, without root's
    /// rights.
    case privateRoot
  }

  /// The name of the file that marks a folder as a private root.
  package static let markerName = ".fettle-root"

  /// The absolute path without symbolic links, without a trailing slash except for `/`.
  package let path: String
  /// The kind of the root.
  package let kind: Kind

  /// Checks that a folder can serve as a package root.
  ///
  /// Checks who can change the root before it reads anything in it, see ``requireTrust(of:)``.
  ///
  /// - Parameters:
  ///   - path: An absolute path. Symbolic links are resolved, so that every spelling of `/` is the
  ///     same root.
  ///   - user: The user who opens the root: the user of this process.
  /// - Throws: `badRoot`, with the missing part and the next step; `notPermitted` for a root that
  ///   the user must not rely on.
  package init(at path: String, for user: UInt32 = geteuid()) throws(InstallationError) {
    guard path.hasPrefix("/") else {
      throw Self.unusable(path, "the path is not absolute", hint: "write the whole path from /")
    }
    guard let resolved = RootFiles.resolved(path), RootFiles.isFolder(resolved) else {
      throw Self.unusable(
        path, "there is no such folder", hint: "make a root with 'fettle root create DIR'")
    }
    guard
      resolved.unicodeScalars.allSatisfy({
        $0.value >= 0x20 && ![0x22, 0x5C, 0x7F].contains($0.value)
      })
    else {
      throw Self.unusable(
        path, "the path holds a quote, a backslash or a control character",
        hint: "move the root to a folder with a plain name")
    }
    let isMarked = RootFiles.isFile(resolved + "/" + Self.markerName)
    self.path = resolved
    self.kind = resolved == "/" ? .system : isMarked ? .privateRoot : .chroot
    try requireTrust(of: user)
    try checkSoundness()
  }

  /// Creates the value for a root that ``create(at:likeHost:sources:)`` has just made.
  init(created path: String) {
    self.path = path
    self.kind = .privateRoot
  }

  /// Returns the absolute path of a path relative to the root.
  package func path(_ relative: String) -> String {
    path == "/" ? "/" + relative : path + "/" + relative
  }

  /// The folder of dpkg's database.
  package var adminDirectory: String { path("var/lib/dpkg") }
  /// The lock that every front end of dpkg holds for all its work.
  package var frontendLock: String { path("var/lib/dpkg/lock-frontend") }
  /// dpkg's own lock, held while a dpkg process changes the database.
  package var databaseLock: String { path("var/lib/dpkg/lock") }
  /// The marker of a pending restart.
  ///
  /// The packages that asked for the restart are in the file of the same name with the suffix
  /// `.pkgs` (measured).
  package var rebootMarker: String { path("run/reboot-required") }
  /// The folder of the package index.
  package var listsDirectory: String { path("var/lib/apt/lists") }

  /// The options that every call of dpkg on this root needs before its action.
  package var dpkgOptions: [String] {
    switch kind {
    case .system: []
    case .chroot: ["--root=" + path]
    case .privateRoot:
      [
        "--root=" + path, "--force-script-chrootless", "--force-not-root",
        "--log=" + path("var/log/dpkg.log"),
      ]
    }
  }

  /// Throws unless a process with these rights may change packages in this root.
  ///
  /// Package scripts of a private root run without chroot, so they must never run as root: they
  /// would act on the host. Reading (planning, verifying) needs no check.
  ///
  /// - Parameter euid: The effective user of the process that will change packages.
  /// - Throws: `notPermitted` with the next step.
  package func checkRights(euid: UInt32 = geteuid()) throws(InstallationError) {
    switch (kind, euid) {
    case (.privateRoot, 0):
      throw InstallationError(
        .notPermitted,
        "cannot work on the private root \(path) as root: package scripts would act on the host",
        hint: "run the engine as the ordinary user who owns the root")
    case (.system, 1...), (.chroot, 1...):
      throw InstallationError(
        .notPermitted, "cannot change packages in \(path) without being root",
        hint: "run the engine as root, or use a private root made with 'fettle root create DIR'")
    default: return
    }
  }

  private func checkSoundness() throws(InstallationError) {
    let repair =
      kind == .privateRoot
      ? "make a new root with 'fettle root create DIR'"
      : "name a system tree of Debian's kind, or make a root with 'fettle root create DIR'"
    for folder in ["var/lib/dpkg", "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/apt"]
    where !RootFiles.isFolder(self.path(folder)) {
      throw Self.unusable(path, "there is no folder \(folder) in it", hint: repair)
    }
    guard RootFiles.isFile(path("var/lib/dpkg/status")) else {
      throw Self.unusable(path, "there is no var/lib/dpkg/status in it", hint: repair)
    }
    guard kind == .chroot else { return }
    for program in ["usr/bin/dpkg", "bin/sh"] where !RootFiles.exists(self.path(program)) {
      throw Self.unusable(path, "it is not a complete system: there is no \(program)", hint: repair)
    }
  }

  static func unusable(_ path: String, _ reason: String, hint: String) -> InstallationError {
    InstallationError(
      .badRoot, "cannot use \(Sanitised.line(path, limit: 200)) as a package root: \(reason)",
      hint: hint)
  }
}

internal import Glibc
internal import HostSystem
package import InstallJobs

extension PackageRoot {
  /// Makes a private root with databases only, into which packages can be installed without root's
  /// rights.
  ///
  /// With `likeHost` the host's installed packages count as installed, and the host's sources,
  /// keys, preferences, readable credentials and `Acquire` settings are copied, but not its hooks.
  /// With the copied status file alone `dpkg --audit` would complain about each package; empty file
  /// lists prevent that (measured). Packages that only count as installed can be neither changed
  /// nor removed.
  ///
  /// - Parameters:
  ///   - path: An absolute path; the folder must be empty or not exist.
  ///   - likeHost: Whether to copy the host's package status and apt settings.
  ///   - sources: Additional lines of `sources.list`.
  /// - Returns: The root, marked as private.
  /// - Throws: `badRoot` when the folder is in use or cannot be written, `invalidArgument` for a
  ///   source that is more than one line.
  package static func create(at path: String, likeHost: Bool, sources: [String] = [])
    async throws(InstallationError) -> PackageRoot
  {
    for source in sources where !isSourceLine(source) {
      throw InstallationError(
        .invalidArgument, "cannot use '\(Sanitised.line(source, limit: 80))' as a source",
        class: .fatal,
        hint: "write one line such as 'deb http://deb.debian.org/debian bookworm main'")
    }
    let place = try freshFolder(path)
    func write(_ text: String, _ name: String) throws(InstallationError) {
      guard RootFiles.write(text, to: place + "/" + name) else {
        throw unusable(path, "cannot write \(name) in it", hint: "check rights and free space")
      }
    }
    for name in folders where !RootFiles.makeFolder(place + "/" + name) {
      throw unusable(path, "cannot make \(name) in it", hint: "check rights and free space")
    }
    try write("", "var/lib/dpkg/status")
    try write("1\n", "var/lib/dpkg/info/format")
    if likeHost {
      try copyHostPackages(to: place)
      try await copyHostSettings(to: place)
    }
    if !sources.isEmpty {
      try write(
        sources.joined(separator: "\n") + "\n",
        likeHost ? "etc/apt/sources.list.d/fettle.list" : "etc/apt/sources.list")
    }
    // Written last, so that only a complete root has the marker.
    try write("A private package root made by fettle; see 'fettle root check'.\n", markerName)
    return PackageRoot(created: place)
  }

  private static let folders = [
    "var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers",
    "var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt",
    "etc/apt/apt.conf.d", "etc/apt/preferences.d", "etc/apt/sources.list.d",
    "etc/apt/trusted.gpg.d", "etc/apt/auth.conf.d", "run", "tmp",
  ]

  private static func isSourceLine(_ text: String) -> Bool {
    text.hasPrefix("deb ") && text.unicodeScalars.allSatisfy { $0.value >= 0x20 }
  }

  private static func freshFolder(_ path: String) throws(InstallationError) -> String {
    guard path.hasPrefix("/") else {
      throw unusable(path, "the path is not absolute", hint: "write the whole path from /")
    }
    // A root below such a path would be refused when it is opened.
    try requireTrust(path) { () throws(UntrustedPath) in _ = try TrustedPath.existing(path) }
    guard RootFiles.makeFolder(path) else {
      throw unusable(path, "the folder cannot be made", hint: "check the path and its rights")
    }
    // Another user may have created the folder first.
    let resolved = try requireTrust(path) { () throws(UntrustedPath) in try TrustedPath(path).path }
    guard RootFiles.names(in: resolved).isEmpty else {
      throw unusable(path, "the folder is not empty", hint: "name a new folder")
    }
    return resolved
  }

  private static func requireTrust<Value>(
    _ path: String, _ body: () throws(UntrustedPath) -> Value
  ) throws(InstallationError) -> Value {
    do {
      return try body()
    } catch {
      throw unusable(path, "\(error)", hint: error.hint)
    }
  }

  private static func copyHostPackages(to place: String) throws(InstallationError) {
    let host = "/var/lib/dpkg"
    let database = place + "/var/lib/dpkg"
    guard RootFiles.copy(host + "/status", to: database + "/status") else {
      throw unusable(
        place, "cannot copy the host's package status", hint: "use --empty for a root without it")
    }
    if RootFiles.isFile(host + "/arch"), !RootFiles.copy(host + "/arch", to: database + "/arch") {
      throw unusable(place, "cannot copy the host's architectures", hint: "check free space")
    }
    for name in RootFiles.names(in: host + "/info")
    where name.hasSuffix(".list") || name.hasSuffix(".md5sums") {
      guard RootFiles.write("", to: database + "/info/" + name) else {
        throw unusable(place, "cannot write \(name) in it", hint: "check free space")
      }
    }
  }

  private static func copyHostSettings(to place: String) async throws(InstallationError) {
    let files = ["sources.list", "trusted.gpg", "preferences", "auth.conf"]
    for name in files where RootFiles.isReadable("/etc/apt/" + name) {
      _ = RootFiles.copy(
        "/etc/apt/" + name, to: place + "/etc/apt/" + name,
        mode: name == "auth.conf" ? 0o600 : 0o644)
    }
    for folder in ["sources.list.d", "trusted.gpg.d", "preferences.d", "auth.conf.d"] {
      for name in RootFiles.names(in: "/etc/apt/" + folder)
      where RootFiles.isReadable("/etc/apt/\(folder)/\(name)") {
        _ = RootFiles.copy(
          "/etc/apt/\(folder)/\(name)", to: "\(place)/etc/apt/\(folder)/\(name)",
          mode: folder == "auth.conf.d" ? 0o600 : 0o644)
      }
    }
    let dump = try await Tool("/usr/bin/apt-config").run(["dump"], environment: Tool.plain)
    // A proxy's URL may contain a password, so the file is readable for its owner only.
    let settings = dump.lines.filter { $0.hasPrefix("Acquire::") && $0.hasSuffix("\";") }
    guard
      RootFiles.write(
        settings.joined(separator: "\n") + "\n", to: place + "/etc/apt/apt.conf.d/10host",
        mode: 0o600)
    else {
      throw unusable(place, "cannot write the host's settings in it", hint: "check free space")
    }
  }
}

import HostSystem
internal import InstallJobs

extension PackageRoot {
  /// apt's list of automatically installed packages.
  var automaticMarksFile: String { path("var/lib/apt/extended_states") }

  /// Reads ``automaticMarksFile``.
  ///
  /// - Returns: The content; nil where there is no such file, as before apt's first mark.
  /// - Throws: `badRoot` where the file cannot be read: without it every package would count as
  ///   wanted for itself.
  func readAutomaticMarks() throws(InstallationError) -> String? {
    if let text = RootFiles.text(of: automaticMarksFile, limit: 1 << 26) { return text }
    guard RootFiles.exists(automaticMarksFile) else { return nil }
    throw PackageRoot.unusable(
      path, "apt's list of automatic packages cannot be read", hint: "check \(automaticMarksFile)")
  }

  /// Returns the packages that apt has marked as installed automatically, in the form of
  /// ``AptCommand/qualified(_:_:)``.
  ///
  /// apt records packages with architecture `all` under the native one, so the set contains each
  /// name with and without its architecture.
  ///
  /// - Throws: As ``readAutomaticMarks()``.
  func automaticPackages() throws(InstallationError) -> Set<String> {
    var names: Set<String> = []
    for stanza in StatusFile(try readAutomaticMarks() ?? "").stanzas
    where stanza["Auto-Installed"] == "1" {
      guard let name = stanza["Package"] else { continue }
      names.insert(name)
      if let architecture = stanza["Architecture"] { names.insert("\(name):\(architecture)") }
    }
    return names
  }
}

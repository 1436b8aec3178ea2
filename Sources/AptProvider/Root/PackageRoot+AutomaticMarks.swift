import HostSystem

extension PackageRoot {
  /// apt's list of automatically installed packages.
  var automaticMarksFile: String { path("var/lib/apt/extended_states") }

  /// The content of ``automaticMarksFile``; nil where there is none or it cannot be read.
  var automaticMarksText: String? { RootFiles.text(of: automaticMarksFile, limit: 1 << 26) }

  /// The packages that apt has marked as installed automatically, in the form of
  /// ``AptCommand/qualified(_:_:)``.
  ///
  /// apt records packages with architecture `all` under the native one, so the set contains each
  /// name with and without its architecture.
  var automaticPackages: Set<String> {
    var names: Set<String> = []
    for stanza in StatusFile(automaticMarksText ?? "").stanzas where stanza["Auto-Installed"] == "1"
    {
      guard let name = stanza["Package"] else { continue }
      names.insert(name)
      if let architecture = stanza["Architecture"] { names.insert("\(name):\(architecture)") }
    }
    return names
  }
}

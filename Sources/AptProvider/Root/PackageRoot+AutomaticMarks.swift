import HostSystem

extension PackageRoot {
  /// The packages that apt has marked as installed automatically, in the form of
  /// ``AptCommand/qualified(_:_:)``.
  ///
  /// apt records packages with architecture `all` under the native one, so the set contains each
  /// name with and without its architecture.
  var automaticPackages: Set<String> {
    let text = RootFiles.text(of: path("var/lib/apt/extended_states"), limit: 1 << 26) ?? ""
    var names: Set<String> = []
    for stanza in StatusFile(text).stanzas where stanza["Auto-Installed"] == "1" {
      guard let name = stanza["Package"] else { continue }
      names.insert(name)
      if let architecture = stanza["Architecture"] { names.insert("\(name):\(architecture)") }
    }
    return names
  }
}

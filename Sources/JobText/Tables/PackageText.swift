import Canvas
package import InstallJobs

/// What the index and the package database say about packages, as text for `search`, `info`, `list`
/// and `policy`.
package enum PackageText: Sendable {
  /// One line for each package: name, version, state and description.
  package static func list(_ updates: [UpdateDetails]) -> [String] {
    let rows = updates.map { update in
      [update.name, update.version, update.architecture, state(of: update), update.title]
    }
    return JobTable.table(["PACKAGE", "VERSION", "ARCH", "STATE", ""], rows, right: [])
  }

  /// Everything about one version: a field for each line, then the description.
  package static func details(_ update: UpdateDetails) -> [String] {
    var fields: [(String, String)] = [
      ("package", update.name), ("version", update.version), ("architecture", update.architecture),
      ("state", state(of: update)), ("origin", update.origin ?? "no source has it"),
    ]
    if let section = update.section { fields.append(("section", section)) }
    if update.downloadSize > 0 {
      fields.append(("to fetch", Figures.bytes(update.downloadSize)))
    }
    if update.installedSize > 0 {
      fields.append(("on disk", Figures.bytes(update.installedSize)))
    }
    for name in ["Pre-Depends", "Depends", "Recommends", "Conflicts", "Breaks", "Provides"] {
      if let value = update.otherFields[name] { fields.append((name.lowercased(), value)) }
    }
    if let homepage = update.homepage { fields.append(("home page", homepage)) }
    let width = fields.map(\.0.count).max() ?? 0
    let lines = fields.map { name, value in
      name.padding(to: width) + "  " + sanitize(value)
    }
    let description = update.description.split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines + ["", sanitize(update.title)] + description.map { " " + sanitize(String($0)) }
  }

  /// The versions of one package with their origins, the candidate marked; the updates are of one
  /// package, newest first.
  package static func policy(_ versions: [UpdateDetails]) -> [String] {
    guard let first = versions.first else { return [] }
    let candidate = versions.first(where: \.isCandidate)?.version
    let rows = versions.map { version in
      [
        version.isInstalled ? "***" : "", version.version, version.architecture,
        version.isSecurity ? "security" : "", version.origin ?? "only installed",
      ]
    }
    return [
      "\(sanitize(first.name)):",
      "  installed: \(sanitize(first.presence.installedVersion ?? "no"))"
        + (first.presence.isHeld ? " (held)" : ""),
      "  candidate: \(sanitize(candidate ?? "none"))",
    ]
      + JobTable.table(["", "VERSION", "ARCH", "", "ORIGIN"], rows, right: []).map { "  " + $0 }
  }

  private static func state(of update: UpdateDetails) -> String {
    let held = update.presence.isHeld ? ", held" : ""
    if update.isInstalled { return "installed" + held }
    if let version = update.presence.installedVersion {
      return (update.isCandidate ? "upgrade from \(version)" : "\(version) is installed") + held
    }
    return update.presence.hasOnlyConfiguration ? "removed, configuration left" : "not installed"
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}

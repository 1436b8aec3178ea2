internal import InstallJobs

extension SimulatedDatabase {
  /// What is half done, a finding for each package, in the words that a real root's have; where
  /// everything is whole, or somebody works, that.
  ///
  /// - Parameter isAtWork: Whether a job is at work: what is half done then is its own matter.
  /// - Returns: At least one finding.
  func packageFindings(isAtWork: Bool) -> [Checkup.Finding] {
    let present = packages.filter { !Self.isAbsent($0.value) }
    let half = present.filter { !$0.value.isInstalled }.sorted { $0.key < $1.key }
    guard !half.isEmpty else {
      return [Checkup.Finding(.packages, .sound, "all \(present.count) packages are whole")]
    }
    guard !isAtWork else {
      return [
        Checkup.Finding(
          .packages, .attention,
          "\(half.count) of \(present.count) packages are in the middle of something while somebody"
            + " works", hint: "ask again when the job at work is over")
      ]
    }
    return half.map { key, entry in
      let name = String(key.prefix { $0 != ":" })
      let isCut = entry.state == "half-installed"
      return Checkup.Finding(
        .packages, .fault, Self.sentence(name, entry),
        hint: "'fettle doctor --repair' " + (isCut ? "unpacks it again" : "mends it"),
        package: name, repair: isCut ? .reinstall(name) : .finishConfiguration)
    }
  }

  private static func isAbsent(_ entry: Entry) -> Bool {
    entry.state == "not-installed" || entry.state == "config-files"
  }

  private static func sentence(_ name: String, _ entry: Entry) -> String {
    let package = Sanitised.line(entry.version.map { "\(name) \($0)" } ?? name, limit: 200)
    return switch entry.state {
    case "half-installed":
      "\(package) is half installed: dpkg was stopped, or failed, while it unpacked or removed it"
    case "unpacked": "\(package) is unpacked and was never configured"
    case "half-configured":
      "\(package) is half configured: its script failed, or dpkg was stopped while it ran"
    default: "\(package) is left in the state \(Sanitised.line(entry.state, limit: 40))"
    }
  }
}

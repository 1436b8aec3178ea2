import HostSystem
internal import InstallJobs
import PackageProvider

extension SimulatedDatabase {
  /// Returns findings about incomplete packages, in the words used for a real root.
  ///
  /// There is one finding for each incomplete package; packages of the running job share one
  /// finding. If all packages are complete, one finding says so.
  ///
  /// - Parameter work: The work of the running job, if any.
  /// - Returns: At least one finding.
  func packageFindings(during work: PresentWork?) -> [Checkup.Finding] {
    let present = packages.filter { !Self.isAbsent($0.value) }
    let half = present.filter { !$0.value.isInstalled }.sorted { $0.key < $1.key }
    guard !half.isEmpty else {
      return [Checkup.Finding(.packages, .sound, "all \(present.count) packages are whole")]
    }
    let moving = half.filter { work?.packages.contains(Self.name($0.key)) == true }
    var findings: [Checkup.Finding] = []
    if !moving.isEmpty {
      findings.append(.packagesInProgress(moving.count, of: present.count, during: work))
    }
    let left = half.filter { work?.packages.contains(Self.name($0.key)) != true }
    findings += left.map { key, entry in
      let name = Self.name(key)
      let isCut = entry.state == "half-installed"
      return Checkup.Finding(
        .packages, .fault, Self.sentence(name, entry),
        hint: "'fettle doctor --repair' " + (isCut ? "unpacks it again" : "configures it"),
        package: name, repair: isCut ? .reinstall(name) : .finishConfiguration)
    }
    return findings
  }

  private static func name(_ key: String) -> String { String(key.prefix { $0 != ":" }) }

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

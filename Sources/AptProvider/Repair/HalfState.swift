import HostSystem
internal import InstallJobs
import PackageProvider

extension PackageDatabase.Entry {
  /// Describes why a package is incomplete, in a sentence without a full stop; nil for a complete
  /// package.
  ///
  /// The causes of dpkg's states come from the stop matrix (measurements F7, E4 to E10).
  var incompleteReason: String? {
    guard isPresent, !isWhole else { return nil }
    let package = Sanitised.line("\(name) \(version)", limit: 200)
    return switch state {
    case "half-installed":
      "\(package) is half installed: dpkg was stopped, or failed, while it unpacked or removed it"
    case "unpacked" where needsReinstall, "half-configured" where needsReinstall,
      "installed":
      "\(package) must be unpacked again: dpkg was stopped, or failed, while it changed its files"
    case "unpacked": "\(package) is unpacked and was never configured"
    case "half-configured":
      "\(package) is half configured: its script failed, or dpkg was stopped while it ran"
    case "triggers-awaited": "\(package) waits for triggers of other packages that did not run"
    case "triggers-pending": "\(package) has a trigger to run that did not run"
    default: "\(package) is left in the state \(Sanitised.line(state, limit: 40))"
    }
  }
}

extension PackageRoot {
  /// Returns the command that carries out a repair, in one line.
  func repairAdvice(for repair: RepairAction) -> String {
    switch repair {
    case .reinstall:
      "'fettle doctor --repair' unpacks it again from its archive, which a source or the job that"
        + " was cut off must have"
    case .finishConfiguration, .remove, .keepOldConfiguration:
      "'fettle doctor --repair' configures it; without an engine, \(repairAdvice)"
    }
  }

  /// Returns a finding for each incomplete package.
  ///
  /// - Parameters:
  ///   - database: The package database.
  ///   - journaled: Packages with changes noted by an interrupted dpkg; see ``journaledNames``.
  /// - Returns: The findings, each a fault; empty when every package is complete.
  func incompletePackageFindings(
    in database: PackageDatabase, journaled: [String]
  ) -> [Checkup.Finding] {
    var findings = database.entries.compactMap { entry -> Checkup.Finding? in
      guard let sentence = entry.incompleteReason else { return nil }
      return Checkup.Finding(
        .packages, .fault, sentence, hint: repairAdvice(for: entry.repair), package: entry.name,
        repair: entry.repair)
    }
    for name in journaled where !findings.contains(where: { $0.package == name }) {
      findings.append(
        Checkup.Finding(
          .packages, .fault,
          "dpkg was interrupted at work on \(name), and what it noted is not in its database yet",
          hint: repairAdvice(for: .finishConfiguration), package: name,
          repair: .finishConfiguration))
    }
    return findings
  }
}

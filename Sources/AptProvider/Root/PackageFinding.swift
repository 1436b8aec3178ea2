internal import InstallJobs
import PackageProvider

extension PlannedUpdate {
  /// Compares a step with what the database has (promise 2).
  func finding(in database: PackageDatabase) -> Verification.Finding {
    let entry = database.entry(name, architecture)
    let state = entry?.state ?? "not-installed"
    let present = entry.flatMap { $0.isPresent ? $0 : nil }
    let isWhole = entry?.isWhole ?? false
    let isAsPlanned =
      switch action {
      case .install, .upgrade, .downgrade, .reinstall, .configure:
        isWhole && (toVersion == nil || entry?.version == toVersion)
      case .remove: present == nil
      case .purge: state == "not-installed"
      }
    let isUntouched: Bool =
      if let fromVersion {
        action == .configure
          ? present?.version == fromVersion && !isWhole
          : isWhole && entry?.version == fromVersion
      } else {
        // A purge of what is not installed takes configuration files away.
        action == .purge ? state == "config-files" : present == nil
      }
    return Verification.Finding(
      isAsPlanned: isAsPlanned, isUntouched: isUntouched, state: state,
      version: state == "not-installed" ? nil : entry?.version)
  }

  /// What mends the package if it was left in half a state (row D21).
  func repair(in database: PackageDatabase) -> RepairAction? {
    guard let entry = database.entry(name, architecture), entry.isPresent, !entry.isWhole else {
      return nil
    }
    return entry.repair
  }
}

extension PackageDatabase.Entry {
  /// What mends a package in half a state, by measurements E16 and E17.
  var repair: RepairAction {
    isCutOff ? .reinstall(name) : .finishConfiguration
  }
}

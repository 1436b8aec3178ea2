internal import InstallJobs
import PackageProvider

extension PlannedUpdate {
  /// Compares a step with the package database.
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
        // Purging a removed package deletes its configuration files.
        action == .purge ? state == "config-files" : present == nil
      }
    return Verification.Finding(
      isAsPlanned: isAsPlanned, isUntouched: isUntouched, state: state,
      version: state == "not-installed" ? nil : entry?.version)
  }

  /// Returns the action that repairs the step's package; nil when the package is complete (row
  /// D21).
  func repair(in database: PackageDatabase) -> RepairAction? {
    guard let entry = database.entry(name, architecture), entry.isPresent, !entry.isWhole else {
      return nil
    }
    return entry.repair
  }
}

extension PackageDatabase.Entry {
  /// The action that repairs an incomplete package, by measurements E16 and E17.
  var repair: RepairAction {
    isInterrupted ? .reinstall(name) : .finishConfiguration
  }
}

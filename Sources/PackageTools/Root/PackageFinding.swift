internal import InstallJobs

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

extension JobPlan {
  /// The requests that needed nothing and are not so any more (rows D16, D17).
  ///
  /// - Parameter version: The version of what is there of an update, its value nil when it is not
  ///   whole; nil when nothing is there.
  /// - Returns: Their indices in ``JobPlan/requests``.
  func contradicted(by version: (Update) -> String??) -> Set<Int> {
    Set(
      requests.indices.filter { index in
        let request = requests[index]
        guard request.step == nil else { return false }
        switch request.note {
        case .alreadyInstalled where request.foundVersion != nil:
          guard let found = version(request.update), let found else { return true }
          return request.update.version.map { $0 != found } ?? false
        case .notInstalled: return version(request.update) != nil
        default: return false
        }
      })
  }
}

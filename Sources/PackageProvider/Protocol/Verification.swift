package import InstallJobs

/// What was found of an archive that a job was to fetch.
package enum ArchiveFinding: Sendable, Hashable {
  /// It is there with the size and hash of the index.
  case present
  /// The same, and it was there before the job.
  case kept
  /// It is not there; why, where the package tool told.
  case absent(InstallationError?)
  /// What is there is not what the index names.
  case damaged(InstallationError)
}

/// What the package database says about a plan's steps (promise 2).
package struct Verification: Sendable, Hashable {
  /// What was found for one step.
  package struct Finding: Sendable, Hashable {
    /// Whether the package is exactly as the step wanted it.
    package var isAsPlanned: Bool
    /// Whether nothing at all has changed: the package is as it was before the job.
    package var isUntouched: Bool
    /// dpkg's state word (`installed`, `half-configured`, `not-installed`, ...).
    package var state: String
    /// The version in the database; nil when the package is absent.
    package var version: String?

    package init(isAsPlanned: Bool, isUntouched: Bool, state: String, version: String?) {
      self.isAsPlanned = isAsPlanned
      self.isUntouched = isUntouched
      self.state = state
      self.version = version
    }
  }

  /// One finding for each step of the plan, in its order.
  package var findings: [Finding]
  /// The requests without a step, by index, that are no longer as the plan found them: another job
  /// or hand has installed or removed since what needed nothing then (rows D16, D17).
  package var contradicted: Set<Int>
  /// What `dpkg --audit` printed; empty when it is silent.
  package var audit: String
  /// What mends the half states that were found.
  package var repairs: [RepairAction]

  package init(
    findings: [Finding], contradicted: Set<Int> = [], audit: String = "",
    repairs: [RepairAction] = []
  ) {
    self.findings = findings
    self.contradicted = contradicted
    self.audit = audit
    self.repairs = repairs
  }

  /// The packages that the audit names, each at the beginning of an indented line of its output, and
  /// some under more than one of its headings.
  package var auditedPackages: [String] {
    var names: [String] = []
    for line in audit.split(separator: "\n") {
      guard line.first == " ", let second = line.dropFirst().first, second != " " else { continue }
      let name = String(line.dropFirst().prefix { $0 != " " && $0 != ":" })
      if !name.isEmpty, !names.contains(name) { names.append(name) }
    }
    return names
  }
}

extension JobPlan {
  /// The requests that needed nothing and are not so any more (rows D16, D17).
  ///
  /// - Parameter version: The version of what is there of an update, its value nil when it is not
  ///   whole; nil when nothing is there.
  /// - Returns: Their indices in ``JobPlan/requests``.
  package func contradicted(by version: (Update) -> String??) -> Set<Int> {
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

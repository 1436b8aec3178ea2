package import InstallJobs

/// Result of checking one archive that a job was to fetch.
package enum ArchiveFinding: Sendable, Hashable {
  /// The archive is in the job's folder, with the size and hash that the index names.
  case present
  /// As `present`, and another job had fetched the archive.
  case kept
  /// The archive is missing; the error is nil where the package tool gave no reason.
  case absent(InstallationError?)
  /// The file does not match the size or hash that the index names.
  case damaged(InstallationError)
}

/// Result of comparing the package database with a plan's steps.
package struct Verification: Sendable, Hashable {
  /// The finding for one step.
  package struct Finding: Sendable, Hashable {
    /// Whether the package is in the state and version that the step planned.
    package var isAsPlanned: Bool
    /// Whether the package is in the state and version that it had before the job.
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
  /// Indices of the requests without a step whose packages have changed since planning: another job
  /// or another process has installed or removed them (rows D16, D17).
  package var contradicted: Set<Int>
  /// The output of `dpkg --audit`; empty when dpkg finds nothing.
  package var audit: String
  /// The actions that repair the incomplete packages found.
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

  /// The packages that `audit` names, each once.
  ///
  /// `dpkg --audit` names a package at the beginning of an indented line, and some packages under
  /// several headings.
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
  /// Finds the requests that needed no work when planned and would need work now (rows D16, D17).
  ///
  /// - Parameter version: Returns the present version of an update's package: nil when the package
  ///   is absent, `.some(nil)` when it is present but not completely installed.
  /// - Returns: The indices in ``JobPlan/requests``.
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

import InstallJobs
import PackageProvider

// The error of a job that did not succeed.
extension JobMachine {
  /// Why the job did not succeed: the first failure of a package, else of the job; nil when there
  /// is none.
  func explanation(
    _ failures: [UpdateStatus], _ verification: Verification, _ end: WorkEnd?
  ) -> InstallationError? {
    if let end, wasCutByRestart, !hasAcceptedAbort, end.exitStatus > 128 {
      return cutByRestart(failures, verification)
    }
    guard let end else {
      if wasCutByRestart { return cutByRestart(failures, verification) }
      return InstallationError(
        .interrupted, "the work of job \(snapshot.id) ended without a word", class: .transient,
        detail: failures.first?.error?.message,
        hint: (verification.repairs.isEmpty
          ? "" : "'fettle doctor --repair' mends what is half done, ")
          + "'fettle retry \(snapshot.id)' submits the rest")
    }
    let errors = failures.compactMap(\.error)
    // A package that failed only because of another one is not the cause; the causing package may
    // be missing from the plan.
    let reason = errors.first { !$0.isConsequence } ?? (errors.isEmpty ? nil : snapshot.error)
    if let error = reason ?? errors.first { return error }
    if let error = snapshot.updates.compactMap(\.error).first { return error }
    if let error = snapshot.error { return error }
    if verification.audit.isEmpty { return leftOut(after: end.exitStatus) }
    if snapshot.operation == .repair, plan.steps.isEmpty,
      let first = verification.auditedPackages.first
    {
      return InstallationError(
        .notVerified, "\(first) is still not whole", update: first,
        detail: String(verification.audit.prefix(500)),
        hint:
          "see 'fettle log \(snapshot.id)'; put right what its script needs and repair it again,"
          + " or 'fettle purge \(first)' takes it away")
    }
    let names = Set(plan.steps.map(\.name))
    let others = verification.auditedPackages.filter { !names.contains($0) }
    if let first = others.first, others.count == verification.auditedPackages.count {
      // The findings may be the work of the process that the job waited for when it was aborted.
      if hasAcceptedAbort, snapshot.plan?.allSatisfy({ $0.resultCode == .notStarted }) ?? false {
        return nil
      }
      let more = others.count > 1 ? " and \(others.count - 1) more" : ""
      return InstallationError(
        .notVerified, "dpkg --audit names \(first)\(more), which this job did not touch",
        detail: String(verification.audit.prefix(500)),
        hint: "'fettle doctor' says what is wrong with it and what mends it")
    }
    return InstallationError(
      .notVerified, "dpkg --audit is not silent after job \(snapshot.id)",
      detail: String(verification.audit.prefix(500)),
      hint: "'dpkg --audit' says what to do about each package")
  }

  /// The error of work that ended because the machine shut down, lost power or was reset.
  private func cutByRestart(
    _ failures: [UpdateStatus], _ verification: Verification
  ) -> InstallationError {
    let place = failures.first.map { " on \($0.name)" } ?? ""
    return InstallationError(
      .interrupted, "the machine shut down while job \(snapshot.id) was at work\(place)",
      class: .transient, detail: failures.first?.error?.message,
      hint: (verification.repairs.isEmpty
        ? "" : "'fettle doctor --repair' mends what is half done, ")
        + "'fettle retry \(snapshot.id)' submits the rest")
  }

  /// Adds the work's remarks to the detail of an error.
  func remarked(_ error: InstallationError?) -> InstallationError? {
    guard var error, !remarks.isEmpty else { return error }
    error.detail = ((error.detail.map { [$0] } ?? []) + remarks).joined(separator: "\n")
    return error
  }

  /// How a tool ended early, as text: `ended with status 100`, `was ended by SIGTERM`.
  private static func words(for exitStatus: Int32) -> String {
    guard exitStatus > 128, let name = signals[exitStatus - 128] else {
      return "ended with status \(exitStatus)"
    }
    return "was ended by \(name)"
  }

  private static let signals: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM",
    15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
  ]

  /// The error for a package that the tool left out without a report; nil when it left nothing out,
  /// or the job was aborted.
  private func leftOut(after exitStatus: Int32) -> InstallationError? {
    guard !hasAcceptedAbort,
      let status = snapshot.plan?.first(where: { $0.resultCode == .notStarted })
    else { return nil }
    return InstallationError(
      .notVerified,
      exitStatus == 0
        ? "the package tool left \(status.name) out and reported no failure"
        : "the package tool \(Self.words(for: exitStatus)) before \(status.name)",
      update: status.name, hint: "see 'fettle log \(snapshot.id)', then submit it again")
  }
}

extension InstallationError {
  /// Whether dpkg left the package unconfigured because of another package.
  fileprivate var isConsequence: Bool { detail?.hasSuffix("leaving unconfigured") ?? false }
}

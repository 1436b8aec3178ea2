import HostSystem
import InstallJobs
import JobJournal
import Logging
import PackageProvider

extension Engine {
  /// Verifies the packages of jobs that required a restart of the machine, after the restart (row
  /// D20).
  ///
  /// Each job is verified once: the check stays due until the event with its outcome is stored.
  package func verifyAfterReboot() async {
    guard let bootID = settings.bootID else { return }
    do {
      for id in try journal.jobsAwaitingReboot(exceptBoot: bootID) {
        let plan = try journal.plan(of: id)
        let snapshot = try journal.job(id, withPlan: true)
        guard var check = snapshot.afterReboot else { continue }
        let provider = provider
        let verification = await providerThreads.run { () async -> Verification in
          await provider.verify(plan)
        }
        let difference = Self.difference(of: snapshot.plan ?? [], to: verification)
        check.outcome = difference == nil ? .confirmed : .contradicted
        check.message = difference
        check.checkedAt = settings.now()
        publish(
          try journal.append(
            [EventDraft(id, .verifiedAfterReboot(check))], at: settings.now()))
      }
    } catch {
      // The check stays due, and the next engine tries again.
      logger.error("cannot check after the restart: \(error)")
    }
  }

  /// The first package that had succeeded and is no longer as planned; nil when there is none.
  private static func difference(
    of steps: [UpdateStatus], to verification: Verification
  ) -> String? {
    for (status, finding) in zip(steps, verification.findings)
    where status.resultCode == .succeeded && !finding.isAsPlanned {
      let version = finding.version.map { " \($0)" } ?? ""
      return "\(status.name) is \(finding.state)\(version) after the restart"
    }
    return nil
  }
}

package import InstallJobs
internal import JobJournal

extension Engine {
  /// Puts an act or its refusal on record (rows A40, A41).
  ///
  /// - Parameters:
  ///   - act: The request's name on the wire.
  ///   - job: The job it is about.
  ///   - requester: Who, by the kernel.
  ///   - pid: The peer's process.
  ///   - command: The peer's command name; hostile text.
  ///   - outcome: `permitted`, or the code of the refusal or failure.
  /// - Throws: `journal`; the act must not be done then.
  package func audit(
    _ act: String, on job: JobID?, by requester: Requester, pid: Int32?, command: String?,
    outcome: String
  ) throws(InstallationError) {
    try journal.audit(
      AuditEntry(
        at: settings.now(), requester: requester, pid: pid, command: command, act: act, job: job,
        outcome: outcome))
  }
}

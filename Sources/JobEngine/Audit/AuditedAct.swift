package import InstallJobs

/// An act, or the refusal of one, that is to be put on record.
package struct AuditedAct: Sendable, Hashable {
  /// The request's name on the wire.
  package var act: String
  /// The job that it is about.
  package var job: JobID?
  /// Who, by the kernel.
  package var requester: Requester
  /// The peer's process.
  package var pid: Int32?
  /// The peer's command name; hostile text.
  package var command: String?
  /// `permitted`, or the code of the refusal or failure.
  package var outcome: String
  /// What the request names.
  package var subject: AuditSubject?
  /// Whether the requester has no right to act.
  package var isStranger: Bool
  /// How many refusals this stands for.
  package var count: Int

  package init(
    _ act: String, on job: JobID? = nil, by requester: Requester, pid: Int32?, command: String?,
    outcome: String, subject: AuditSubject? = nil, isStranger: Bool = false, count: Int = 1
  ) {
    self.act = act
    self.job = job
    self.requester = requester
    self.pid = pid
    self.command = command
    self.outcome = outcome
    self.subject = subject
    self.isStranger = isStranger
    self.count = count
  }
}

package import InstallJobs

/// A permitted act, or a refused or failed one, to be recorded.
package struct AuditedAct: Sendable, Hashable {
  /// The request's name in the protocol.
  package var act: String
  /// The job that the act concerns.
  package var job: JobID?
  /// The user, as reported by the kernel.
  package var requester: Requester
  /// The client's process id.
  package var pid: Int32?
  /// The client's command name; untrusted text.
  package var command: String?
  /// `permitted`, or the code of the refusal or failure.
  package var outcome: String
  /// The packages or other subject of the request.
  package var subject: AuditSubject?
  /// Whether the requester has no right to act.
  package var isUnprivileged: Bool
  /// Number of refusals that this entry represents.
  package var count: Int

  package init(
    _ act: String, on job: JobID? = nil, by requester: Requester, pid: Int32?, command: String?,
    outcome: String, subject: AuditSubject? = nil, isUnprivileged: Bool = false, count: Int = 1
  ) {
    self.act = act
    self.job = job
    self.requester = requester
    self.pid = pid
    self.command = command
    self.outcome = outcome
    self.subject = subject
    self.isUnprivileged = isUnprivileged
    self.count = count
  }
}

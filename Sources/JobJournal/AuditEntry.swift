package import InstallJobs

/// The kind of an audit entry.
///
/// Each kind has its own limit in ``AuditRetention``.
package enum AuditKind: Int, Sendable, Hashable, CaseIterable {
  /// An act that was permitted.
  case act = 0
  /// A refusal or failure of a user who may act.
  case refusal = 1
  /// A refusal of a user who may not act.
  case stranger = 2
}

/// An audit entry: one act or refused act, or several equal ones, with the requester.
package struct AuditEntry: Sendable, Hashable {
  package var at: Timestamp
  /// The user, as identified by the kernel.
  package var requester: Requester
  /// The process id of the peer; nil if unknown.
  package var pid: Int32?
  /// The command name of the peer, untrusted text; nil if it cannot be read.
  package var command: String?
  /// The act: the request's name in the protocol.
  package var act: String
  package var job: JobID?
  /// The outcome: ``permitted``, or the code of the refusal or failure.
  package var outcome: String
  /// The kind of the entry.
  package var kind: AuditKind
  /// The operation and packages of the request; nil if it names none.
  package var subject: AuditSubject?
  /// Number of acts that the entry stands for.
  package var count: Int

  /// The outcome of an act that is permitted and carried out next.
  package static let permitted = "permitted"

  package init(
    at: Timestamp, requester: Requester, pid: Int32?, command: String?, act: String, job: JobID?,
    outcome: String, kind: AuditKind? = nil, subject: AuditSubject? = nil, count: Int = 1
  ) {
    self.at = at
    self.requester = requester
    self.pid = pid
    self.command = command
    self.act = act
    self.job = job
    self.outcome = outcome
    self.kind = kind ?? (outcome == Self.permitted ? .act : .refusal)
    self.subject = subject
    self.count = count
  }
}

/// Limits on the stored audit entries.
///
/// Each kind has its own limit. So refusals cannot displace acts, and users without rights cannot
/// displace the refusals of users with rights.
package struct AuditRetention: Sendable, Hashable {
  /// Number of permitted acts that are kept, the newest.
  package var acts: Int
  /// Number of refusals and failures of users who may act that are kept, the newest.
  package var refusals: Int
  /// Number of refusals of users who may not act that are kept, the newest.
  package var strangers: Int
  /// Age in days after which entries are removed.
  package var days: Int
  /// Number of new entries between two removals.
  ///
  /// Up to this number of entries may exceed the limits.
  package var interval: Int

  package init(
    acts: Int = 200_000, refusals: Int = 20_000, strangers: Int = 20_000, days: Int = 400,
    interval: Int = 4096
  ) {
    self.acts = acts
    self.refusals = refusals
    self.strangers = strangers
    self.days = days
    self.interval = max(1, interval)
  }

  /// Number of entries of a kind that are kept.
  func most(of kind: AuditKind) -> Int {
    switch kind {
    case .act: acts
    case .refusal: refusals
    case .stranger: strangers
    }
  }
}

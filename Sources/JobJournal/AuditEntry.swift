package import InstallJobs

/// Which share of the record of acts a row belongs to.
package enum AuditKind: Int, Sendable, Hashable, CaseIterable {
  /// An act that was permitted.
  case act = 0
  /// A refusal or failure of somebody who may act.
  case refusal = 1
  /// A refusal of somebody who may not act.
  case stranger = 2
}

/// One act, or one refusal to act, and who it was.
package struct AuditEntry: Sendable, Hashable {
  package var at: Timestamp
  /// Who, by the kernel.
  package var requester: Requester
  /// The peer's process; nil where the kernel does not say.
  package var pid: Int32?
  /// The peer's command name; hostile text, nil when it cannot be read.
  package var command: String?
  /// What was asked for: the request's name on the wire.
  package var act: String
  package var job: JobID?
  /// What came of it: ``permitted``, or the code of the refusal or failure.
  package var outcome: String
  /// The share of the record that the row belongs to.
  package var kind: AuditKind
  /// What the request names; nil where it names nothing.
  package var subject: AuditSubject?
  /// How many acts the row stands for.
  package var count: Int

  /// The outcome of an act that was allowed and is done next.
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

/// How much of the record of acts is kept.
///
/// Each kind of row has a share of its own: nobody can push acts out of the record by being refused,
/// and nobody without rights the refusals of those who have some.
package struct AuditRetention: Sendable, Hashable {
  /// The newest acts that were permitted.
  package var acts: Int
  /// The newest refusals and failures of users who may act.
  package var refusals: Int
  /// The newest refusals of users who may not act.
  package var strangers: Int
  /// Nothing that is older than so many days.
  package var days: Int
  /// Looked after once in so many rows, so that there may be as many more for a while.
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

  /// How many rows of a kind are kept.
  func most(of kind: AuditKind) -> Int {
    switch kind {
    case .act: acts
    case .refusal: refusals
    case .stranger: strangers
    }
  }
}

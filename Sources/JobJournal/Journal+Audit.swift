import GRDB
package import InstallJobs

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

  /// The outcome of an act that was allowed and is done next.
  package static let permitted = "permitted"

  package init(
    at: Timestamp, requester: Requester, pid: Int32?, command: String?, act: String, job: JobID?,
    outcome: String
  ) {
    self.at = at
    self.requester = requester
    self.pid = pid
    self.command = command
    self.act = act
    self.job = job
    self.outcome = outcome
  }
}

/// How much of the record of acts is kept.
///
/// Refusals are counted apart from acts: nobody can push acts out of the record by being refused.
package struct AuditRetention: Sendable, Hashable {
  /// The newest acts that were permitted.
  package var acts: Int
  /// The newest refusals and failures.
  package var refusals: Int
  /// Nothing that is older than so many days.
  package var days: Int
  /// Looked after once in so many rows, so that there may be as many more for a while.
  package var interval: Int

  package init(
    acts: Int = 200_000, refusals: Int = 20_000, days: Int = 400, interval: Int = 4096
  ) {
    self.acts = acts
    self.refusals = refusals
    self.days = days
    self.interval = max(1, interval)
  }
}

extension Journal {
  /// Puts an act on record, and now and then removes what the retention does not keep.
  ///
  /// - Throws: `journal`; the act must not be done then.
  package func audit(_ entry: AuditEntry) throws(InstallationError) {
    try write { db, _, _ in
      try db.cachedStatement(
        sql: """
          INSERT INTO audit (at, uid, user, pid, command, act, job, outcome)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        entry.at.milliseconds, entry.requester.uid, StoredText(entry.requester.user), entry.pid,
        StoredText(entry.command), StoredText(entry.act), entry.job?.rawValue,
        StoredText(entry.outcome),
      ])
      if db.lastInsertedRowID % Int64(auditRetention.interval) == 0 {
        try Self.prune(db, to: auditRetention, at: entry.at)
      }
    }
  }

  private static func prune(
    _ db: Database, to retention: AuditRetention, at time: Timestamp
  ) throws {
    for (comparison, count) in [("=", retention.acts), ("<>", retention.refusals)] {
      try db.execute(
        sql: """
          DELETE FROM audit WHERE outcome \(comparison) ?1 AND id <= (
            SELECT id FROM audit WHERE outcome \(comparison) ?1
            ORDER BY id DESC LIMIT 1 OFFSET ?2)
          """,
        arguments: [StoredText(AuditEntry.permitted), count])
    }
    // The oldest come first; more than come in between two looks need not be looked at.
    try db.execute(
      sql: """
        DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?
        """,
      arguments: [
        4 * retention.interval,
        time.advanced(bySeconds: -Double(retention.days) * 86_400).milliseconds,
      ])
  }

  /// The record, the last entry first.
  ///
  /// - Parameters:
  ///   - job: Only acts on this job; nil for all.
  ///   - limit: At most so many; 0 for none.
  ///   - offset: So many are left out at the beginning.
  /// - Returns: The window, empty when it lies beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `journal`.
  package func auditEntries(
    of job: JobID? = nil, limit: Int, offset: Int = 0
  ) throws(InstallationError) -> [AuditEntry] {
    try checkWindow(limit: limit, offset: offset)
    return try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT at, uid, user, pid, command, act, job, outcome FROM audit
            \(job == nil ? "" : "WHERE job = ?") ORDER BY id DESC LIMIT ? OFFSET ?
            """),
        arguments: StatementArguments(job.map { [$0.rawValue] } ?? []) + [limit, offset])
      return try rows.map { row in
        AuditEntry(
          at: Timestamp(milliseconds: try row.value(0)),
          requester: Requester(uid: try row.value(1), user: try row.text(2)),
          pid: try row.optional(3),
          command: (try row.optional(4) as StoredText?)?.text, act: try row.text(5),
          job: (try row.optional(6) as Int?).map { JobID($0) }, outcome: try row.text(7))
      }
    }
  }
}

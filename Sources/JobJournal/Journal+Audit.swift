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
  /// What came of it: `done`, or the code of the refusal.
  package var outcome: String

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

extension Journal {
  /// Puts an act on record.
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
    }
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
      return rows.map { row in
        AuditEntry(
          at: Timestamp(milliseconds: row[0]),
          requester: Requester(uid: row[1], user: (row[2] as StoredText).text), pid: row[3],
          command: (row[4] as StoredText?)?.text, act: (row[5] as StoredText).text,
          job: (row[6] as Int?).map { JobID($0) }, outcome: (row[7] as StoredText).text)
      }
    }
  }
}

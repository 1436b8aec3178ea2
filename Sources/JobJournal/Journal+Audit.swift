import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// Stores an audit entry.
  ///
  /// Once per ``AuditRetention/interval`` entries, removes entries beyond the limits.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - mayUseReserve: Whether the reserve may be released if the file system is full.
  /// - Returns: The number of the entry.
  /// - Throws: `journal`. The act must not be carried out then.
  @discardableResult
  package func audit(
    _ entry: AuditEntry, mayUseReserve: Bool = false
  ) throws(InstallationError) -> Int64 {
    try write(mayUseReserve: mayUseReserve) { db, _, _ in
      try db.cachedStatement(
        sql: """
          INSERT INTO audit
            (at, uid, user, pid, command, act, job, outcome, kind, subject, count)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(arguments: [
        entry.at.milliseconds, entry.requester.uid, StoredText(entry.requester.user), entry.pid,
        StoredText(entry.command), StoredText(entry.act), entry.job?.rawValue,
        StoredText(entry.outcome), entry.kind.rawValue,
        try entry.subject.map { try StoredJSON.encode($0) }, entry.count,
      ])
      let number = db.lastInsertedRowID
      if number % Int64(auditRetention.interval) == 0 {
        try Self.prune(db, to: auditRetention, at: entry.at)
      }
      return number
    }
  }

  /// Adds the job that an act has created to the audit entry of the act.
  ///
  /// - Throws: `journal`.
  package func setJob(_ job: JobID, ofAudit number: Int64) throws(InstallationError) {
    try write { db, _, _ in
      try db.cachedStatement(sql: "UPDATE audit SET job = ? WHERE id = ?")
        .execute(arguments: [job.rawValue, number])
    }
  }

  private static func prune(
    _ db: Database, to retention: AuditRetention, at time: Timestamp
  ) throws {
    for kind in AuditKind.allCases {
      try db.execute(
        sql: """
          DELETE FROM audit WHERE kind = ?1 AND id <= (
            SELECT id FROM audit WHERE kind = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
          """,
        arguments: [kind.rawValue, retention.most(of: kind)])
    }
    // Only the oldest entries are checked: four times the number added between two removals.
    try db.execute(
      sql: """
        DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?
        """,
      arguments: [
        4 * retention.interval,
        time.advanced(bySeconds: -Double(retention.days) * 86_400).milliseconds,
      ])
  }

  /// Audit entries, the newest first.
  ///
  /// - Parameters:
  ///   - job: The job of the acts; nil for all acts.
  ///   - limit: Largest number of entries; 0 for none.
  ///   - offset: Number of entries to skip.
  /// - Returns: The entries; empty if the offset is beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `journal`.
  package func auditEntries(
    of job: JobID? = nil, limit: Int, offset: Int = 0
  ) throws(InstallationError) -> [AuditEntry] {
    try auditRows(AuditFilter(job: job), before: nil, limit: limit, offset: offset).map(\.entry)
  }

  /// Audit entries with their numbers, the newest first.
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - before: Only entries with smaller numbers; nil for the first page.
  ///   - limit: Largest number of entries; 0 for none.
  ///   - offset: Number of entries to skip.
  /// - Returns: The entries; empty if the offset is beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `journal`.
  package func auditRows(
    _ filter: AuditFilter, before: Int64?, limit: Int, offset: Int = 0
  ) throws(InstallationError) -> [(number: Int64, entry: AuditEntry)] {
    try checkWindow(limit: limit, offset: offset)
    var (condition, arguments) = filter.condition
    if let before {
      condition += " AND id < ?"
      arguments += [before]
    }
    return try read { db in
      let rows = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT id, at, uid, user, pid, command, act, job, outcome, kind, subject, count
            FROM audit WHERE \(condition) ORDER BY id DESC LIMIT ? OFFSET ?
            """),
        arguments: arguments + [limit, offset])
      return try rows.map { try Self.entry(of: $0) }
    }
  }

  private static func entry(of row: Row) throws -> (number: Int64, entry: AuditEntry) {
    let subject: Data? = try row.optional(10)
    guard let kind = AuditKind(rawValue: try row.value(9)) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an act of an unknown kind")
    }
    let entry = AuditEntry(
      at: Timestamp(milliseconds: try row.value(1)),
      requester: Requester(uid: try row.value(2), user: try row.text(3)),
      pid: try row.optional(4), command: (try row.optional(5) as StoredText?)?.text,
      act: try row.text(6), job: (try row.optional(7) as Int?).map { JobID($0) },
      outcome: try row.text(8), kind: kind,
      subject: try subject.map { try StoredJSON.decode(AuditSubject.self, $0) },
      count: try row.value(11))
    return (try row.value(0), entry)
  }
}

extension AuditFilter {
  fileprivate var condition: (sql: String, arguments: StatementArguments) {
    var parts = ["TRUE"]
    var arguments = StatementArguments()
    if let user {
      if let uid = UInt32(user) {
        parts.append("(uid = ? OR user = ?)")
        arguments += [uid, StoredText(user)]
      } else {
        parts.append("user = ?")
        arguments += [StoredText(user)]
      }
    }
    if let since {
      parts.append("at >= ?")
      arguments += [since.milliseconds]
    }
    if let job {
      parts.append("job = ?")
      arguments += [job.rawValue]
    }
    if let act {
      parts.append("act = ?")
      arguments += [StoredText(act)]
    }
    if let outcome {
      parts.append(outcome == "refused" ? "outcome <> ?" : "outcome = ?")
      arguments += [StoredText(outcome == "refused" ? AuditEntry.permitted : outcome)]
    }
    return (parts.joined(separator: " AND "), arguments)
  }
}

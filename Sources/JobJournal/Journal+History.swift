import GRDB
package import InstallJobs

extension Journal {
  /// Ended jobs without plans, the last ended first, cleaned up or not (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Which jobs.
  ///   - after: Where the page begins: behind this job, whether the filter has it or not; nil for the
  ///     first page.
  ///   - limit: At most so many; 0 for none.
  ///   - offset: So many are left out at the beginning.
  /// - Returns: The window, empty when it lies beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `unknownJob` for a page that begins
  ///   behind a job that is not there; `journal`.
  package func history(
    _ filter: HistoryFilter = HistoryFilter(), after: JobID? = nil, limit: Int, offset: Int = 0
  ) throws(InstallationError) -> [JobSnapshot] {
    try checkWindow(limit: limit, offset: offset)
    var (condition, arguments) = filter.condition
    if let after {
      condition += " AND (endedAt, id) < (SELECT endedAt, id FROM jobs WHERE id = ?)"
      arguments += [after.rawValue]
    }
    return try read { db in
      if let after { try db.require(after) }
      return try Int.fetchAll(
        db.cachedStatement(
          sql: "SELECT id FROM jobs WHERE \(condition) ORDER BY endedAt DESC, id DESC"
            + " LIMIT ? OFFSET ?"),
        arguments: arguments + [limit, offset]
      ).map { try db.snapshot(JobID($0), withPlan: false) }
    }
  }

  /// The newest job that was submitted to retry another, over or not; nil where there is none.
  ///
  /// Whatever the clock did, a retry has a higher number than what it retries.
  ///
  /// - Throws: `journal`.
  package func newestRetry(of id: JobID) throws(InstallationError) -> JobSnapshot? {
    try read { db in
      try Int.fetchOne(
        db.cachedStatement(
          sql: "SELECT id FROM jobs WHERE retryOf = ? AND id > ? ORDER BY id DESC LIMIT 1"),
        arguments: [id.rawValue, id.rawValue]
      ).map { try db.snapshot(JobID($0), withPlan: false) }
    }
  }

  /// When the last job ended that was to install or upgrade something, and did (row S10); nil where there
  /// is none.
  ///
  /// - Throws: `journal`.
  package func lastInstallation() throws(InstallationError) -> Timestamp? {
    let operations = JobOperation.allCases.filter { $0.kind == .installation && $0 != .repair }
    let marks = operations.map { _ in "?" }.joined(separator: ", ")
    var arguments: StatementArguments = [OperationResultCode.succeeded.rawValue]
    arguments += StatementArguments(operations.map(\.rawValue))
    return try read { db in
      try Int64.fetchOne(
        db.cachedStatement(
          sql: """
            SELECT endedAt FROM jobs WHERE isFinal = 1 AND result = ?
              AND json_extract(CAST(snapshot AS TEXT), '$.operation') IN (\(marks))
              AND json_extract(CAST(snapshot AS TEXT), '$.planCount') > 0
              AND coalesce(json_extract(CAST(snapshot AS TEXT), '$.options.downloadOnly'), 0) = 0
            ORDER BY endedAt DESC, id DESC LIMIT 1
            """), arguments: arguments
      ).map { Timestamp(milliseconds: $0) }
    }
  }

  /// How many ended jobs there are (row Y1).
  package func historyCount(
    _ filter: HistoryFilter = HistoryFilter()
  ) throws(InstallationError) -> Int {
    let (condition, arguments) = filter.condition
    return try read { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT count(*) FROM jobs WHERE \(condition)"),
        arguments: arguments) ?? 0
    }
  }
}

extension HistoryFilter {
  fileprivate var condition: (sql: String, arguments: StatementArguments) {
    var parts = ["isFinal = 1"]
    var arguments = StatementArguments()
    if let package {
      parts.append(
        "id IN (SELECT job FROM steps WHERE name = ? UNION SELECT job FROM updates WHERE name = ?)")
      arguments += [StoredText(package), StoredText(package)]
    }
    if let user {
      parts.append("user = ?")
      arguments += [StoredText(user)]
    }
    if let since {
      parts.append("endedAt >= ?")
      arguments += [since.milliseconds]
    }
    if let until {
      parts.append("endedAt < ?")
      arguments += [until.milliseconds]
    }
    if let results {
      let codes = results.compactMap(\.code)
      let ended =
        "state <> ? AND result IN (" + codes.map { _ in "?" }.joined(separator: ", ") + ")"
      let interrupted = JobState.interrupted.rawValue
      arguments += [interrupted]
      arguments += StatementArguments(codes.map(\.rawValue))
      if results.contains(.interrupted) {
        parts.append("(\(ended) OR state = ?)")
        arguments += [interrupted]
      } else {
        parts.append(ended)
      }
    }
    return (parts.joined(separator: " AND "), arguments)
  }
}

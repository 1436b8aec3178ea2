import GRDB
package import InstallJobs

extension Journal {
  /// Ended jobs without plans, the last ended first, including cleaned-up jobs (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: The filter.
  ///   - after: The last job before the page, even if the filter excludes it; nil for the first
  ///     page.
  ///   - limit: Largest number of jobs; 0 for none.
  ///   - offset: Number of jobs to skip.
  /// - Returns: The jobs; empty if the offset is beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `unknownJob` if `after` does not
  ///   exist; `journal`.
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

  /// The newest job that retries another job, ended or not; nil if there is none.
  ///
  /// Ordered by number, because a retry always has a higher number than the original, even if the
  /// clock was changed.
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

  /// End time of the last job that successfully installed or upgraded packages (row S10); nil if
  /// there is none.
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

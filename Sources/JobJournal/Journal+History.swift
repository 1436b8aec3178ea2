import GRDB
package import InstallJobs

/// Which ended jobs to list; what is nil does not restrict (row Y3).
package struct HistoryFilter: Sendable, Hashable {
  /// A package that the job asked for or touched, dependencies included.
  package var package: String?
  /// The name of the user who asked.
  package var user: String?
  /// Jobs that ended at this time or later.
  package var since: Timestamp?
  /// Jobs that ended before this time.
  package var until: Timestamp?
  package var results: Set<OperationResultCode>?

  package init(
    package: String? = nil, user: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil,
    results: Set<OperationResultCode>? = nil
  ) {
    self.package = package
    self.user = user
    self.since = since
    self.until = until
    self.results = results
  }
}

extension Journal {
  /// Ended jobs without plans, the last ended first, cleaned up or not (rows Y2, Y3).
  ///
  /// - Parameters:
  ///   - filter: Which jobs.
  ///   - limit: At most so many; 0 for none.
  ///   - offset: So many are left out at the beginning.
  /// - Returns: The window, empty when it lies beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `journal`.
  package func history(
    _ filter: HistoryFilter = HistoryFilter(), limit: Int, offset: Int = 0
  ) throws(InstallationError) -> [JobSnapshot] {
    try checkWindow(limit: limit, offset: offset)
    let (condition, arguments) = filter.condition
    return try read { db in
      try Int.fetchAll(
        db.cachedStatement(
          sql: "SELECT id FROM jobs WHERE \(condition) ORDER BY endedAt DESC, id DESC"
            + " LIMIT ? OFFSET ?"),
        arguments: arguments + [limit, offset]
      ).map { try db.snapshot(JobID($0), withPlan: false) }
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
      parts.append("result IN (" + results.map { _ in "?" }.joined(separator: ", ") + ")")
      arguments += StatementArguments(results.map(\.rawValue))
    }
    return (parts.joined(separator: " AND "), arguments)
  }
}

import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// Jobs without plans, by number.
  ///
  /// - Parameters:
  ///   - states: Only jobs in these states; nil for every state.
  ///   - includingCleanedUp: Whether to list jobs that were cleaned up.
  ///   - newestFirst: Whether the last submitted comes first.
  ///   - limit: At most so many; 0 for none.
  ///   - offset: So many are left out at the beginning.
  /// - Returns: The window, empty when it lies beyond the end.
  /// - Throws: `invalidIndex` for a negative offset or limit; `journal`.
  package func jobs(
    in states: Set<JobState>? = nil, includingCleanedUp: Bool = false, newestFirst: Bool = false,
    limit: Int = .max, offset: Int = 0
  ) throws(InstallationError) -> [JobSnapshot] {
    try checkWindow(limit: limit, offset: offset)
    let (condition, arguments) = Self.condition(states, includingCleanedUp)
    return try read { db in
      let ids = try Int.fetchAll(
        db.cachedStatement(
          sql: "SELECT id FROM jobs WHERE \(condition) ORDER BY id \(newestFirst ? "DESC" : "ASC")"
            + " LIMIT ? OFFSET ?"),
        arguments: arguments + [limit, offset])
      return try ids.map { try db.snapshot(JobID($0), withPlan: false) }
    }
  }

  /// How many jobs ``jobs(in:includingCleanedUp:newestFirst:limit:offset:)`` can list.
  package func count(
    in states: Set<JobState>? = nil, includingCleanedUp: Bool = false
  ) throws(InstallationError) -> Int {
    let (condition, arguments) = Self.condition(states, includingCleanedUp)
    return try read { db in
      try Int.fetchOne(
        db.cachedStatement(sql: "SELECT count(*) FROM jobs WHERE \(condition)"),
        arguments: arguments) ?? 0
    }
  }

  /// Jobs that are not over, oldest first: what a restarted engine has to look after.
  package func liveJobs(withPlans: Bool = true) throws(InstallationError) -> [JobSnapshot] {
    try read { db in
      try Int.fetchAll(
        db.cachedStatement(sql: "SELECT id FROM jobs WHERE isFinal = 0 ORDER BY id")
      ).map { try db.snapshot(JobID($0), withPlan: withPlans) }
    }
  }

  /// One job as it stands.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func job(_ id: JobID, withPlan: Bool) throws(InstallationError) -> JobSnapshot {
    try read { db in try db.snapshot(id, withPlan: withPlan) }
  }

  /// The job that was submitted with `token`, with its plan; nil when there is none.
  package func job(token: String) throws(InstallationError) -> JobSnapshot? {
    try read { db in
      try db.job(token: token).map { try db.snapshot($0, withPlan: true) }
    }
  }

  /// Jobs that asked for a restart of the machine and ended under another boot than `bootID`, and
  /// have not been looked at since (row D20); the lowest number first.
  package func jobsAwaitingReboot(exceptBoot bootID: String) throws(InstallationError) -> [JobID] {
    try read { db in
      try Int.fetchAll(
        db.cachedStatement(sql: "SELECT job FROM awaitingReboot WHERE boot <> ? ORDER BY job"),
        arguments: [bootID]
      ).map { JobID($0) }
    }
  }

  /// The job's plan as it was frozen at submission.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func plan(of id: JobID) throws(InstallationError) -> JobPlan {
    try stored("plan", of: id)
  }

  /// What was asked for, as it was submitted.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func request(of id: JobID) throws(InstallationError) -> JobRequest {
    try stored("request", of: id)
  }

  /// How far each file of the job's folder was consumed, in bytes; a file never read is not listed.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func offsets(of id: JobID) throws(InstallationError) -> [String: Int64] {
    try read { db in
      try db.require(id)
      let rows = try Row.fetchAll(
        db.cachedStatement(sql: "SELECT file, offset FROM offsets WHERE job = ?"),
        arguments: [id.rawValue])
      return Dictionary(
        try rows.map { row in (try row.text(0), try row.value(1) as Int64) },
        uniquingKeysWith: { $1 })
    }
  }

  private func stored<Value: Decodable>(
    _ column: String, of id: JobID
  ) throws(InstallationError) -> Value {
    try read { db in
      let statement = try db.cachedStatement(sql: "SELECT \(column) FROM plans WHERE job = ?")
      guard let data = try Data.fetchOne(statement, arguments: [id.rawValue]) else {
        throw db.unknown(id)
      }
      return try StoredJSON.decode(Value.self, data)
    }
  }

  private static func condition(
    _ states: Set<JobState>?, _ includingCleanedUp: Bool
  ) -> (sql: String, arguments: StatementArguments) {
    var parts = ["TRUE"]
    var arguments = StatementArguments()
    if let states {
      parts.append("state IN (" + states.map { _ in "?" }.joined(separator: ", ") + ")")
      arguments = StatementArguments(states.map(\.rawValue))
    }
    if !includingCleanedUp { parts.append("isCleanedUp = 0") }
    return (parts.joined(separator: " AND "), arguments)
  }

  func checkWindow(limit: Int, offset: Int) throws(InstallationError) {
    guard limit < 0 || offset < 0 else { return }
    throw InstallationError(
      .invalidIndex, "cannot list \(limit) entries from \(offset) on", class: .fatal,
      hint: "use numbers from 0")
  }
}

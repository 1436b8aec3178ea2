import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// Jobs without plans, ordered by number.
  ///
  /// - Parameters:
  ///   - states: The states; nil for every state.
  ///   - includingCleanedUp: Whether to include cleaned-up jobs.
  ///   - newestFirst: Whether the highest number comes first.
  ///   - limit: Largest number of jobs; 0 for none.
  ///   - offset: Number of jobs to skip.
  /// - Returns: The jobs; empty if the offset is beyond the end.
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

  /// Number of jobs that ``jobs(in:includingCleanedUp:newestFirst:limit:offset:)`` lists without a
  /// limit.
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

  /// Unfinished jobs, the oldest first.
  ///
  /// A restarted engine continues with these.
  package func liveJobs(withPlans: Bool = true) throws(InstallationError) -> [JobSnapshot] {
    try read { db in
      try Int.fetchAll(
        db.cachedStatement(sql: "SELECT id FROM jobs WHERE isFinal = 0 ORDER BY id")
      ).map { try db.snapshot(JobID($0), withPlan: withPlans) }
    }
  }

  /// The current snapshot of a job.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func job(_ id: JobID, withPlan: Bool) throws(InstallationError) -> JobSnapshot {
    try read { db in try db.snapshot(id, withPlan: withPlan) }
  }

  /// The job that was submitted with `token`, with its plan; nil if there is none.
  package func job(token: String) throws(InstallationError) -> JobSnapshot? {
    try read { db in
      try db.job(token: token).map { try db.snapshot($0, withPlan: true) }
    }
  }

  /// Jobs that required a reboot, ended under another boot than `bootID`, and were not verified
  /// since (row D20); the lowest number first.
  package func jobsAwaitingReboot(exceptBoot bootID: String) throws(InstallationError) -> [JobID] {
    try read { db in
      try Int.fetchAll(
        db.cachedStatement(sql: "SELECT job FROM awaitingReboot WHERE boot <> ? ORDER BY job"),
        arguments: [bootID]
      ).map { JobID($0) }
    }
  }

  /// The job's plan at submission.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func plan(of id: JobID) throws(InstallationError) -> JobPlan {
    try stored("plan", of: id)
  }

  /// The job's request, as it was submitted.
  ///
  /// - Throws: `unknownJob`, `journal`.
  package func request(of id: JobID) throws(InstallationError) -> JobRequest {
    try stored("request", of: id)
  }

  /// The number of bytes processed of each file in the job's folder.
  ///
  /// A file that was never read is missing.
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

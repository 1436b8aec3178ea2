import FoundationEssentials
import GRDB
import InstallJobs

// A job is one row in `jobs` (its snapshot without lists), one in `plans`, one in `steps` per
// package of the plan, and one in `updates` per requested update. An update with a step has the
// status of that step until the final result replaces it. So an event of a package writes one small
// row, whatever the size of the job.
extension Database {
  func insert(_ snapshot: JobSnapshot, request: JobRequest, plan: JobPlan) throws {
    let id = snapshot.id.rawValue
    try cachedStatement(
      sql: """
        INSERT INTO jobs
          (id, token, state, isFinal, isCleanedUp, result, user, submittedAt, endedAt, snapshot,
            retryOf)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, StoredText(request.options.token), snapshot.state.rawValue, snapshot.state.isFinal,
      snapshot.isCleanedUp, snapshot.resultCode.rawValue, StoredText(snapshot.requestedBy.user),
      snapshot.submittedAt.milliseconds, snapshot.endedAt?.milliseconds,
      try StoredJSON.encode(snapshot.withoutLists), snapshot.options.retryOf?.rawValue,
    ])
    try cachedStatement(sql: "INSERT INTO plans (job, request, plan) VALUES (?, ?, ?)")
      .execute(arguments: [id, try StoredJSON.encode(request), try StoredJSON.encode(plan)])
    let step = try cachedStatement(
      sql: "INSERT INTO steps (job, position, name, status) VALUES (?, ?, ?, ?)")
    for (position, status) in (snapshot.plan ?? []).enumerated() {
      try step.execute(arguments: [
        id, position, StoredText(status.name), try StoredJSON.encode(status),
      ])
    }
    let update = try cachedStatement(
      sql: "INSERT INTO updates (job, position, name, step, status) VALUES (?, ?, ?, ?, ?)")
    for (position, status) in snapshot.updates.enumerated() {
      let step = snapshot.updateSteps[position]
      try update.execute(arguments: [
        id, position, StoredText(status.name), step,
        step == nil ? try StoredJSON.encode(status) : nil,
      ])
    }
  }

  func insert(_ event: JobEvent) throws {
    try cachedStatement(sql: "INSERT INTO events (seq, job, event) VALUES (?, ?, ?)")
      .execute(arguments: [event.seq, event.job?.rawValue, try StoredJSON.encode(event)])
  }

  /// Applies `event` to `job` and to the rows in `updates`.
  ///
  /// ``update(_:)`` writes the rows in `jobs` and `steps` later, once for all events of a
  /// transaction.
  func apply(_ event: JobEvent, to job: inout LiveJob) throws {
    let wasFinal = job.snapshot.state.isFinal
    let id = job.snapshot.id.rawValue
    if case .completed(let outcome) = event.payload, outcome.updates.count != job.updateCount {
      throw InstallationError(
        .internal,
        "job \(id) of \(job.updateCount) updates cannot end with \(outcome.updates.count) results",
        class: .fatal, hint: "report this as a fault")
    }
    job.snapshot.apply(event)
    // A `completed` event sets them.
    job.snapshot.updates = []
    switch event.payload {
    case .update(let index, let status):
      job.changedSteps[index] = status
      guard wasFinal else { break }
      try cachedStatement(sql: "UPDATE updates SET status = NULL WHERE job = ? AND step = ?")
        .execute(arguments: [id, index])
    case .completed(let outcome):
      let statement = try cachedStatement(
        sql: "UPDATE updates SET status = ? WHERE job = ? AND position = ?")
      for (position, status) in outcome.updates.enumerated() {
        try statement.execute(arguments: [try StoredJSON.encode(status), id, position])
      }
      guard let check = outcome.afterReboot, check.outcome == .pending else { break }
      try cachedStatement(sql: "INSERT OR REPLACE INTO awaitingReboot (job, boot) VALUES (?, ?)")
        .execute(arguments: [id, check.bootID])
    case .verifiedAfterReboot(let check) where check.outcome != .pending:
      try cachedStatement(sql: "DELETE FROM awaitingReboot WHERE job = ?")
        .execute(arguments: [id])
    case .cleanedUp: try removeSecrets(of: id)
    default: break
    }
  }

  /// Removes the proxy's password from the request of a cleaned-up job, which cannot be retried.
  private func removeSecrets(of id: Int) throws {
    let statement = try cachedStatement(sql: "SELECT request FROM plans WHERE job = ?")
    guard let data = try Data.fetchOne(statement, arguments: [id]) else { return }
    guard var request = try? StoredJSON.decode(JobRequest.self, data) else {
      return try removeProxy(ofUnreadable: id)
    }
    guard request.options.withoutSecrets != request.options else { return }
    request.options = request.options.withoutSecrets
    try cachedStatement(sql: "UPDATE plans SET request = ? WHERE job = ?")
      .execute(arguments: [try StoredJSON.encode(request), id])
  }

  /// Removes the proxy from a request of an unknown form, and replaces a request that is not JSON
  /// by an empty value: text that cannot be read may contain a password.
  private func removeProxy(ofUnreadable id: Int) throws {
    try cachedStatement(
      sql: """
        UPDATE plans SET request = CASE WHEN json_valid(CAST(request AS TEXT))
          THEN CAST(json_remove(CAST(request AS TEXT), '$.options.proxy') AS BLOB) ELSE x'' END
        WHERE job = ?
        """
    ).execute(arguments: [id])
  }

  /// Writes the changes of a job's events: its row in `jobs`, and one row in `steps` per changed
  /// package.
  func update(_ job: inout LiveJob) throws {
    let snapshot = job.snapshot
    let step = try cachedStatement(
      sql: "UPDATE steps SET status = ? WHERE job = ? AND position = ?")
    for (position, status) in job.changedSteps {
      try step.execute(arguments: [
        try StoredJSON.encode(status), snapshot.id.rawValue, position,
      ])
    }
    job.changedSteps = [:]
    try cachedStatement(
      sql: """
        UPDATE jobs SET state = ?, isFinal = ?, isCleanedUp = ?, result = ?, endedAt = ?,
          snapshot = ? WHERE id = ?
        """
    ).execute(arguments: [
      snapshot.state.rawValue, snapshot.state.isFinal, snapshot.isCleanedUp,
      snapshot.resultCode.rawValue, snapshot.endedAt?.milliseconds,
      try StoredJSON.encode(snapshot.withoutLists), snapshot.id.rawValue,
    ])
  }

  func store(_ files: [String: Int64], of job: JobID) throws {
    try require(job)
    for (file, offset) in files {
      guard offset >= 0 else {
        throw InstallationError(
          .internal, "cannot note offset \(offset) of '\(file)' in job \(job)", class: .fatal,
          hint: "report this as a fault")
      }
      try cachedStatement(
        sql: """
          INSERT INTO offsets (job, file, offset) VALUES (?, ?, ?)
          ON CONFLICT (job, file) DO UPDATE SET offset = excluded.offset
          """
      ).execute(arguments: [job.rawValue, StoredText(file), offset])
    }
  }

  func job(token: String) throws -> JobID? {
    try Int.fetchOne(
      cachedStatement(sql: "SELECT id FROM jobs WHERE token = ?"), arguments: [StoredText(token)]
    ).map { JobID($0) }
  }

  func require(_ id: JobID) throws {
    let statement = try cachedStatement(sql: "SELECT 1 FROM jobs WHERE id = ?")
    guard try Int.fetchOne(statement, arguments: [id.rawValue]) != nil else { throw unknown(id) }
  }

  /// Reads a job in the form that ``apply(_:to:)`` changes.
  func liveJob(_ id: JobID) throws -> LiveJob {
    let steps = try cachedStatement(
      sql: "SELECT step FROM updates WHERE job = ? ORDER BY position")
    var snapshot = try row(of: id)
    // `JobSnapshot.apply(_:)` needs these to find the update of a package.
    snapshot.updateSteps = try Row.fetchAll(steps, arguments: [id.rawValue]).map {
      try $0.optional(0)
    }
    return LiveJob(snapshot: snapshot)
  }

  /// Reads a job without plan and updates.
  private func row(of id: JobID) throws -> JobSnapshot {
    let job = try cachedStatement(sql: "SELECT snapshot FROM jobs WHERE id = ?")
    guard let data = try Data.fetchOne(job, arguments: [id.rawValue]) else { throw unknown(id) }
    return try StoredJSON.decode(JobSnapshot.self, data)
  }

  func snapshot(_ id: JobID, withPlan: Bool) throws -> JobSnapshot {
    var snapshot = try row(of: id)
    let updates = try cachedStatement(
      sql: """
        SELECT u.step, coalesce(u.status, s.status) FROM updates u
        LEFT JOIN steps s ON s.job = u.job AND s.position = u.step
        WHERE u.job = ? ORDER BY u.position
        """)
    for row in try Row.fetchAll(updates, arguments: [id.rawValue]) {
      snapshot.updateSteps.append(try row.optional(0))
      snapshot.updates.append(try StoredJSON.decode(UpdateStatus.self, row.value(1)))
    }
    guard withPlan else { return snapshot.withoutPlan }
    let steps = try cachedStatement(
      sql: "SELECT status FROM steps WHERE job = ? ORDER BY position")
    snapshot.plan = try Data.fetchAll(steps, arguments: [id.rawValue]).map {
      try StoredJSON.decode(UpdateStatus.self, $0)
    }
    return snapshot
  }

  func unknown(_ id: JobID) -> InstallationError {
    InstallationError(
      .unknownJob, "there is no job \(id)", class: .fatal, hint: "'fettle jobs --all' lists them")
  }
}

extension JobSnapshot {
  fileprivate var withoutLists: JobSnapshot {
    var copy = withoutPlan
    // Kept in the job's row in `jobs`.
    copy.warnings = warnings
    copy.updates = []
    copy.updateSteps = []
    return copy
  }
}

import GRDB
package import InstallJobs

extension Journal {
  /// Largest number of events, jobs and pages that one step removes, which takes a few
  /// milliseconds.
  private static let (mostEvents, mostJobs, mostPages) = (1000, 20, 256)

  /// The number up to which durable events were removed; 0 if none were.
  ///
  /// Events with higher numbers are stored without a gap. At or below this number, only events of
  /// jobs that were not cleaned up remain.
  ///
  /// - Throws: `journal`.
  package func keptAfter() throws(InstallationError) -> Int {
    try read { db in try Self.keptAfter(db) }
  }

  static func keptAfter(_ db: Database) throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "SELECT keptAfter FROM meta")) ?? 0
  }

  /// Removes a few events and jobs beyond the retention, and returns free pages to the file system.
  ///
  /// Events are removed in order, so that the remaining events have no gap, up to the first event
  /// of a job that has not ended or has not ended long enough ago. Events of jobs that were not
  /// cleaned up are skipped. A job is removed when it has ended long enough ago, is cleaned up, and
  /// has no events left.
  ///
  /// - Parameters:
  ///   - retention: The limits.
  ///   - time: The current time.
  ///   - removeFolders: Removes the folders of jobs, and returns the jobs without a folder left.
  ///     Called before the jobs are removed, so that no folder remains of an unknown job.
  /// - Returns: The removed jobs, and whether another step is needed.
  /// - Throws: `journal`.
  package func removeOld(
    _ retention: JournalRetention, at time: Timestamp, removeFolders: ([Int]) -> [Int]
  ) throws(InstallationError) -> RetentionStep {
    // Read outside the write transaction, because these reads would delay writers. The results stay
    // true: ended jobs do not start again, cleaned-up jobs stay so, and new events have higher
    // numbers.
    let (end, last, passedOver) = try read { db in
      let end = try Self.end(of: retention, at: time, in: db)
      return (
        end, try Self.lastEvent(endedBefore: end, in: db),
        try Self.skippedEvents(endedBefore: end, in: db)
      )
    }
    var step: RetentionStep = try write { db, _, _ in
      var step = RetentionStep(hasMore: passedOver.count == Self.mostEvents)
      try Self.removeEvents(upTo: last, in: db, &step)
      let statement = try db.cachedStatement(sql: "DELETE FROM events WHERE seq = ?")
      for event in passedOver { try statement.execute(arguments: [event]) }
      return step
    }
    let old = try read { db in try Self.jobs(endedBefore: end, in: db) }
    step.removed = old.isEmpty ? [] : removeFolders(old)
    if !step.removed.isEmpty {
      let removed = step.removed
      try write { db, _, _ in try Self.remove(removed, in: db) }
      step.hasMore = step.hasMore || removed.count == Self.mostJobs
    }
    if try giveRoomBack() { step.hasMore = true }
    return step
  }

  /// The time before which ended jobs are not kept.
  private static func end(
    of retention: JournalRetention, at time: Timestamp, in db: Database
  ) throws -> Timestamp {
    var end = time.advanced(bySeconds: -Double(retention.days) * 86_400)
    func later(_ milliseconds: Int64?) {
      guard let milliseconds else { return }
      end = max(end, Timestamp(milliseconds: milliseconds + 1))
    }
    // The first job beyond the limit in number.
    later(
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT endedAt FROM jobs WHERE isFinal = 1"
            + " ORDER BY endedAt DESC, id DESC LIMIT 1 OFFSET ?"),
        arguments: [retention.jobs]))
    let pages = try pragma("page_count", db) - pragma("freelist_count", db)
    if pages * (try pragma("page_size", db)) > retention.megabytes * 1_000_000 {
      // A few jobs at a time, until the file is below the limit.
      later(
        try Int64.fetchOne(
          db.cachedStatement(
            sql: "SELECT max(endedAt) FROM (SELECT endedAt FROM jobs"
              + " WHERE isFinal = 1 AND isCleanedUp = 1 ORDER BY endedAt LIMIT ?)"),
          arguments: [mostJobs]))
    }
    return end
  }

  /// The highest event number that can be removed with all events before it.
  private static func lastEvent(endedBefore end: Timestamp, in db: Database) throws -> Int {
    // At or below `kept`, only skipped events remain.
    let kept = try keptAfter(db)
    let first = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT min((SELECT min(seq) FROM events WHERE job = jobs.id AND seq > ?)) FROM jobs"
          + " WHERE isFinal = 0 OR endedAt >= ? OR endedAt IS NULL"),
      arguments: [kept, end.milliseconds])
    // Without such a job, the last event of a job that ended before `end`; later events stay.
    let lastOld = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT max((SELECT max(seq) FROM events WHERE job = jobs.id AND seq > ?)) FROM jobs"
          + " WHERE isFinal = 1 AND endedAt < ?"),
      arguments: [kept, end.milliseconds])
    return min(first.map { $0 - 1 } ?? .max, lastOld ?? 0)
  }

  private static func removeEvents(
    upTo last: Int, in db: Database, _ step: inout RetentionStep
  ) throws {
    let kept = try keptAfter(db)
    guard last > kept else { return }
    let reached = min(last, kept + mostEvents)
    try db.cachedStatement(
      sql: "DELETE FROM events WHERE seq > ? AND seq <= ? AND NOT EXISTS"
        + " (SELECT 1 FROM jobs WHERE id = events.job AND isCleanedUp = 0)"
    ).execute(arguments: [kept, reached])
    try db.cachedStatement(sql: "UPDATE meta SET keptAfter = ?").execute(arguments: [reached])
    step.hasMore = step.hasMore || reached < last
  }

  /// Skipped events of jobs that have been cleaned up since.
  private static func skippedEvents(
    endedBefore end: Timestamp, in db: Database
  ) throws -> [Int] {
    try Int.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT events.seq FROM jobs JOIN events ON events.job = jobs.id
          WHERE isFinal = 1 AND isCleanedUp = 1 AND endedAt < ? AND seq <= ? LIMIT ?
          """),
      arguments: [end.milliseconds, try keptAfter(db), mostEvents])
  }

  private static func jobs(endedBefore end: Timestamp, in db: Database) throws -> [Int] {
    try Int.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT id FROM jobs WHERE isFinal = 1 AND isCleanedUp = 1 AND endedAt < ?
            AND NOT EXISTS (SELECT 1 FROM events WHERE job = jobs.id)
          ORDER BY endedAt, id LIMIT ?
          """),
      arguments: [end.milliseconds, mostJobs])
  }

  private static func remove(_ jobs: [Int], in db: Database) throws {
    for job in jobs {
      for table in ["offsets", "steps", "updates", "plans", "awaitingReboot"] {
        try db.cachedStatement(sql: "DELETE FROM \(table) WHERE job = ?").execute(arguments: [job])
      }
      try db.cachedStatement(sql: "DELETE FROM jobs WHERE id = ?").execute(arguments: [job])
    }
  }

  /// Returns free pages to the file system.
  ///
  /// - Returns: Whether more pages can be returned. A file that an older engine created cannot
  ///   return pages and reuses them.
  private func giveRoomBack() throws(InstallationError) -> Bool {
    try write { db, _, _ in
      guard try Self.pragma("auto_vacuum", db) == 2 else { return false }
      let free = try Self.pragma("freelist_count", db)
      // Some free pages are kept for the next writes.
      guard free > Self.mostPages else { return false }
      _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(\(Self.mostPages))")
      return free > 2 * Self.mostPages
    }
  }

  private static func pragma(_ name: String, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0
  }
}

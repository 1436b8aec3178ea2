import GRDB
package import InstallJobs

extension Journal {
  /// Events, jobs and pages at most that one step removes: what takes a few milliseconds.
  private static let (mostEvents, mostJobs, mostPages) = (1000, 20, 256)

  /// Reads the number up to which durable events were removed; they are stored without a gap behind it.
  ///
  /// Up to it there are only those of jobs that were not cleaned up.
  ///
  /// - Returns: 0 where none was removed.
  /// - Throws: `journal`.
  package func keptAfter() throws(InstallationError) -> Int {
    try read { db in try Self.keptAfter(db) }
  }

  static func keptAfter(_ db: Database) throws -> Int {
    try Int.fetchOne(db.cachedStatement(sql: "SELECT keptAfter FROM meta")) ?? 0
  }

  /// Removes a few events and jobs that the retention does not keep, and gives room back.
  ///
  /// Events go in their order, so that those that stay have no gap: up to the first one of a job that
  /// is not over or has not ended long enough ago. Those of jobs that were not cleaned up are passed
  /// over. A job goes when it is over, cleaned up, ended long enough ago, and none of its events is left.
  ///
  /// - Parameters:
  ///   - retention: What is kept.
  ///   - time: The present.
  ///   - removeFolders: Removes the folders of jobs before they go, so that no folder is left of a job
  ///     that nobody knows, and returns the jobs of which none is left.
  /// - Returns: What was removed, and whether there is more.
  /// - Throws: `journal`.
  package func removeOld(
    _ retention: JournalRetention, at time: Timestamp, removeFolders: ([Int]) -> [Int]
  ) throws(InstallationError) -> RetentionStep {
    // Read beside writers, whom it would keep waiting. Nothing that is over begins again, what was
    // cleaned up stays so, and new events have higher numbers, so that what was found stays true.
    let (end, last, passedOver) = try read { db in
      let end = try Self.end(of: retention, at: time, in: db)
      return (
        end, try Self.lastEvent(endedBefore: end, in: db),
        try Self.eventsPassedOver(endedBefore: end, in: db)
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

  /// The time before which jobs that ended are not kept.
  private static func end(
    of retention: JournalRetention, at time: Timestamp, in db: Database
  ) throws -> Timestamp {
    var end = time.advanced(bySeconds: -Double(retention.days) * 86_400)
    func later(_ milliseconds: Int64?) {
      guard let milliseconds else { return }
      end = max(end, Timestamp(milliseconds: milliseconds + 1))
    }
    // The last one that is one too many.
    later(
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT endedAt FROM jobs WHERE isFinal = 1"
            + " ORDER BY endedAt DESC, id DESC LIMIT 1 OFFSET ?"),
        arguments: [retention.jobs]))
    let pages = try pragma("page_count", db) - pragma("freelist_count", db)
    if pages * (try pragma("page_size", db)) > retention.megabytes * 1_000_000 {
      // A few at a time, until what is left is small enough.
      later(
        try Int64.fetchOne(
          db.cachedStatement(
            sql: "SELECT max(endedAt) FROM (SELECT endedAt FROM jobs"
              + " WHERE isFinal = 1 AND isCleanedUp = 1 ORDER BY endedAt LIMIT ?)"),
          arguments: [mostJobs]))
    }
    return end
  }

  /// The number up to which no event is needed.
  private static func lastEvent(endedBefore end: Timestamp, in db: Database) throws -> Int {
    // Before `kept`, there are those that were passed over.
    let kept = try keptAfter(db)
    let first = try Int.fetchOne(
      db.cachedStatement(
        sql: "SELECT min((SELECT min(seq) FROM events WHERE job = jobs.id AND seq > ?)) FROM jobs"
          + " WHERE isFinal = 0 OR endedAt >= ? OR endedAt IS NULL"),
      arguments: [kept, end.milliseconds])
    // Without such a job: up to the last one of a job that has ended before, not those that came since.
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

  /// Events that were passed over, of jobs that have been cleaned up since.
  private static func eventsPassedOver(
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

  /// Gives free pages back to the file system.
  ///
  /// - Returns: Whether there are more. A file of an older engine cannot give any: its free pages are
  ///   used again.
  private func giveRoomBack() throws(InstallationError) -> Bool {
    try write { db, _, _ in
      guard try Self.pragma("auto_vacuum", db) == 2 else { return false }
      let free = try Self.pragma("freelist_count", db)
      // Some are kept for what comes next.
      guard free > Self.mostPages else { return false }
      _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum(\(Self.mostPages))")
      return free > 2 * Self.mostPages
    }
  }

  private static func pragma(_ name: String, _ db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "PRAGMA \(name)") ?? 0
  }
}

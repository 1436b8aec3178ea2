import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// Durable events after number `seq`, in order.
  ///
  /// - Parameters:
  ///   - seq: The event before the first; 0 for the beginning.
  ///   - limit: Largest number of events; 0 for none.
  ///   - job: The job; nil for the events of all jobs and the engine.
  /// - Returns: At most `limit` events; fewer at the end.
  /// - Throws: `invalidArgument` for a number beyond the last event, a number before the kept
  ///   events, or a negative number or limit; `journal`.
  package func events(
    after seq: Int, limit: Int, of job: JobID? = nil
  ) throws(InstallationError) -> [JobEvent] {
    try read { db in
      let last = try MetaRow.load(db).lastSeq
      guard seq >= 0, seq <= last, limit >= 0 else {
        throw InstallationError(
          .invalidArgument, "cannot read \(limit) events after \(seq): the last one is \(last)",
          class: .fatal, hint: "use a number from 0 to \(last)")
      }
      let kept = try Self.keptAfter(db)
      if job == nil, seq < kept { throw Self.notKept("events up to \(kept)", from: kept) }
      if let job, seq < kept, try Self.hasLostEvents(of: job, kept, db) {
        throw Self.notKept("the events of job \(job) up to \(kept)", from: kept)
      }
      let data =
        if let job {
          try Data.fetchAll(
            db.cachedStatement(
              sql: "SELECT event FROM events WHERE job = ? AND seq > ? ORDER BY seq LIMIT ?"),
            arguments: [job.rawValue, seq, limit])
        } else {
          try Data.fetchAll(
            db.cachedStatement(
              sql: "SELECT event FROM events WHERE seq > ? ORDER BY seq LIMIT ?"),
            arguments: [seq, limit])
        }
      return try data.map { try StoredJSON.decode(JobEvent.self, $0) }
    }
  }

  private static func notKept(_ what: String, from seq: Int) -> InstallationError {
    InstallationError(
      .invalidArgument, "\(what) are not kept any more", class: .fatal,
      hint: "begin from event \(seq), or without a number; settings of the engine say how long they"
        + " are kept")
  }

  /// Whether the first events of a job were removed from the journal.
  private static func hasLostEvents(of job: JobID, _ kept: Int, _ db: Database) throws -> Bool {
    guard kept > 0 else { return false }
    let first = try Data.fetchOne(
      db.cachedStatement(sql: "SELECT event FROM events WHERE job = ? ORDER BY seq LIMIT 1"),
      arguments: [job.rawValue])
    guard let first else { return true }
    if case .submitted = try StoredJSON.decode(JobEvent.self, first).payload { return false }
    return true
  }
}

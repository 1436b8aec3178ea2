import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// Durable events after number `seq`, in order.
  ///
  /// - Parameters:
  ///   - seq: 0 for the beginning.
  ///   - limit: At most so many; 0 for none.
  ///   - job: Only events of this job; nil for all.
  /// - Returns: At most `limit` events; fewer at the end.
  /// - Throws: `invalidArgument` for a number beyond the last event, or a negative number or limit;
  ///   `journal`.
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
}

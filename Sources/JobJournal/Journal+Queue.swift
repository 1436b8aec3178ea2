import FoundationEssentials
import GRDB
package import InstallJobs

extension Journal {
  /// The current pause of the queue; nil if the queue is not paused.
  ///
  /// - Throws: `journal`.
  package func queuePause() throws(InstallationError) -> QueuePause? {
    try read { db in
      try Data.fetchOne(db.cachedStatement(sql: "SELECT pause FROM queue"))
        .map { try StoredJSON.decode(QueuePause.self, $0) }
    }
  }
}

extension Database {
  /// Applies an event of the engine to the table `queue`, which has one row while the queue is
  /// paused.
  func keepPause(_ payload: JobEvent.Payload) throws {
    guard case .engine(let notice) = payload else { return }
    switch notice.kind {
    case .queuePaused:
      guard let pause = notice.pause else { return }
      try cachedStatement(sql: "INSERT OR REPLACE INTO queue (id, pause) VALUES (1, ?)")
        .execute(arguments: [try StoredJSON.encode(pause)])
    case .queueResumed: try cachedStatement(sql: "DELETE FROM queue").execute()
    case .started, .stopping: break
    }
  }
}

import GRDB
import Support

/// A second connection to an engine's journal, by which that is made to refuse events.
struct RefusingJournal: Sendable {
  private let queue: DatabaseQueue

  init(in folder: ScratchFolder) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    queue = try DatabaseQueue(
      path: folder.path("journal.sqlite"), configuration: configuration)
  }

  /// Has the journal refuse every event, or those of one job, until ``takeEvents()``.
  func refuseEvents(of job: Int? = nil) async throws {
    try await refuse(job.map { " WHEN new.job = \($0)" } ?? "")
  }

  /// Has it refuse the events with a word in them.
  func refuseEvents(with word: String) async throws {
    try await refuse(" WHEN instr(CAST(new.event AS TEXT), '\(word)') > 0")
  }

  private func refuse(_ condition: String) async throws {
    try await queue.write { db in
      try db.execute(
        sql: """
          CREATE TRIGGER refuse BEFORE INSERT ON events\(condition)
          BEGIN SELECT RAISE(ABORT, 'no more events'); END
          """)
    }
  }

  /// Has the journal take events again.
  func takeEvents() async throws {
    try await queue.write { db in try db.execute(sql: "DROP TRIGGER refuse") }
  }
}

import FoundationEssentials
import GRDB
import InstallJobs
import Testing

@testable import JobJournal

@Suite struct `A journal whose write-ahead file has vanished` {
  let scratch: JournalScratch

  init() throws { scratch = try JournalScratch() }

  /// Three jobs, of which two stand in the write-ahead file alone, as an engine that was killed leaves
  /// them.
  ///
  /// - Returns: Where the journal is then.
  private func fileOfKilledEngine(without suffixes: Set<String>) throws -> String {
    let journal = try scratch.open()
    try JobFixture(["one"]).submit(to: journal)
    try journal.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    try JobFixture(["two"]).submit(to: journal)
    try JobFixture(["three"]).submit(to: journal)
    let copy = "\(scratch.folder)/killed"
    try FileManager.default.createDirectory(
      atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    for suffix in ["", "-wal", "-last"] where !suffixes.contains(suffix) {
      let path = scratch.path + suffix
      guard FileManager.default.fileExists(atPath: path) else { continue }
      try Data(contentsOf: URL(filePath: path))
        .write(to: URL(filePath: "\(copy)/journal.sqlite\(suffix)"))
    }
    try journal.close()
    return "\(copy)/journal.sqlite"
  }

  @Test func `knows how many events and which jobs are missing`() throws {
    let journal = try Journal.open(at: fileOfKilledEngine(without: ["-wal"]))
    #expect(journal.loss == JournalLoss(events: 2, jobs: 2...3))
    #expect(try journal.jobs().count == 1)
  }

  @Test func `misses nothing where it has not vanished`()
    throws
  {
    #expect(try Journal.open(at: fileOfKilledEngine(without: [])).loss == nil)
  }

  @Test func `says nothing without the mark`() throws {
    #expect(try Journal.open(at: fileOfKilledEngine(without: ["-wal", "-last"])).loss == nil)
  }

  @Test func `has another epoch, and says it once it is stored and not again`() throws {
    let path = try fileOfKilledEngine(without: ["-wal"])
    let before = try scratch.open().epoch
    // Until then, each opening finds it.
    try Journal.open(at: path).close()
    let journal = try Journal.open(at: path)
    #expect(journal.loss != nil && journal.epoch != before)
    _ = try journal.restoreJobs([], lastJob: JobID(3), notice: "lost", at: .noon())
    let epoch = journal.epoch
    try journal.close()
    let again = try Journal.open(at: path)
    #expect(again.loss == nil && again.epoch == epoch)
    #expect(try again.lastJob() == JobID(3))
  }

  @Test(arguments: ["", "\n", "x 1 2\n", "epoch -1 1\n", "epoch 99999999999999999999 1\n"])
  func `takes no harm from a mark of another kind`(text: String) throws {
    try scratch.open().close()
    try Data(text.utf8).write(to: URL(filePath: scratch.path + "-last"))
    #expect(try scratch.open().loss == nil)
  }
}

import FoundationEssentials
import GRDB
import Glibc
import InstallJobs
import Support
import Testing

@testable import JobJournal

@Suite struct `The journal's file` {
  let scratch: JournalScratch

  init() throws { scratch = try JournalScratch() }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func refusal() -> InstallationError? {
    do {
      _ = try scratch.open()
      return nil
    } catch {
      return error as? InstallationError
    }
  }

  /// Expects that opening is refused with these words, and that nothing has been written.
  private func expectRefusal(_ words: String, _ code: InstallationError.Code = .journal) throws {
    let before = try scratch.contents()
    let error = try #require(refusal())
    #expect(error.code == code)
    #expect(error.message.contains(words), "\(error)")
    #expect(error.hint != nil)
    let after = try scratch.contents()
    for (name, bytes) in before where !name.hasSuffix("-shm") { #expect(after[name] == bytes) }
    #expect(Set(after.keys).subtracting(before.keys) == [])
  }

  @Test func `is for its owner only, and so are the files beside it`() throws {
    let journal = try scratch.open()
    _ = try journal.append([EventDraft(nil, .engine(EngineNotice(.started, "")))], at: .noon())
    #expect(mode("\(scratch.folder)/state") == 0o700)
    for suffix in ["", "-wal", "-shm"] { #expect(mode(scratch.path + suffix) == 0o600) }
  }

  @Test func `is closed to others again when somebody opened it`() throws {
    try scratch.open().close()
    #expect(unsafe chmod(scratch.path, 0o644) == 0)
    try scratch.open().close()
    #expect(mode(scratch.path) == 0o600)
  }

  @Test func `commits to the disk, keeps foreign keys, and uses a write-ahead file`() throws {
    for _ in 0..<2 {
      let journal = try scratch.open()
      let settings = try journal.write { db, _, _ in
        try ["synchronous", "foreign_keys", "journal_mode"].map {
          try String.fetchOne(db, sql: "PRAGMA \($0)")
        }
      }
      #expect(settings == ["2", "1", "wal"])
      try journal.verify()
      try journal.close()
    }
  }

  @Test func `of a newer version is refused untouched`() throws {
    try scratch.open().close()
    var bytes = try #require(try scratch.contents()["journal.sqlite"])
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    try scratch.put(bytes)
    try expectRefusal("newer version")
  }

  @Test func `of a newer version is refused untouched when only the write-ahead file says so`()
    throws
  {
    try scratch.open().close()
    let newer = try DatabasePool(path: scratch.path)
    try newer.write { try $0.execute(sql: "PRAGMA user_version = 9") }
    let left = try scratch.contents()
    try newer.close()
    for (name, bytes) in left {
      try bytes.write(to: URL(filePath: "\(scratch.folder)/state/\(name)"))
    }
    #expect(left["journal.sqlite"]?[63] == UInt8(JournalSchema.version))
    try expectRefusal("newer version")
  }

  @Test(arguments: ["x", "no database at all", String(repeating: "\0", count: 8192)])
  func `that is not a database is refused untouched`(text: String) throws {
    try scratch.put(Data(text.utf8))
    try expectRefusal("not a database")
  }

  @Test func `of another program is refused untouched`() throws {
    try scratch.put(Data())
    let other = try DatabaseQueue(path: scratch.path)
    try other.write { try $0.execute(sql: "CREATE TABLE bookmarks (url TEXT)") }
    try other.close()
    try expectRefusal("another program")
  }

  @Test(arguments: [4096, 40_000])
  func `that was cut off is refused untouched`(length: Int) throws {
    try scratch.open().close()
    let bytes = try #require(try scratch.contents()["journal.sqlite"])
    try scratch.put(bytes.prefix(length))
    try expectRefusal("damaged")
  }

  @Test func `with garbage where the tables are described is refused untouched`() throws {
    try scratch.open().close()
    var bytes = try #require(try scratch.contents()["journal.sqlite"])
    for index in 100..<4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 37) }
    try scratch.put(bytes)
    try expectRefusal("damaged")
  }

  @Test func `that is gone while its write-ahead file is there is refused`() throws {
    let journal = try scratch.open()
    try JobFixture().submit(to: journal)
    let wal = try #require(try scratch.contents()["journal.sqlite-wal"])
    try journal.close()
    try scratch.put(Data())
    try wal.write(to: URL(filePath: scratch.path + "-wal"))
    try expectRefusal("damaged")
  }

  @Test func `damaged inside is refused untouched`() throws {
    let journal = try scratch.open()
    for _ in 0..<50 { try JobFixture(["alpha", "beta"]).submit(to: journal) }
    try journal.close()
    var bytes = try #require(try scratch.contents()["journal.sqlite"])
    let middle = bytes.count / 8192 * 4096
    for index in middle..<middle + 4096 { bytes[index] = 0xA5 }
    try scratch.put(bytes)
    try expectRefusal("damaged")
  }

  @Test func `left empty by a crash at its creation is taken`() throws {
    try scratch.put(Data())
    #expect(try scratch.open().lastSeq == 0)
  }

  @Test func `is not followed through a link, nor used in a folder others may write to`() throws {
    try scratch.open().close()
    let elsewhere = "\(scratch.folder)/state/link.sqlite"
    try FileManager.default.createSymbolicLink(
      atPath: elsewhere, withDestinationPath: scratch.path)
    #expect(code { try Journal.open(at: elsewhere) } == .journal)
    #expect(unsafe chmod("\(scratch.folder)/state", 0o777) == 0)
    try expectRefusal("others may write")
  }

  @Test func `in a folder whose parent is missing is an error with a next step`() {
    #expect(code { try Journal.open(at: "\(scratch.folder)/a/b/journal.sqlite") } == .journal)
  }

  @Test func `in use is refused to a second engine until the first lets go`() throws {
    let first = try scratch.open()
    try expectRefusal("another engine (pid \(getpid()))", .busy)
    try JobFixture().submit(to: first)
    try first.close()
    #expect(try scratch.open().lastSeq == 1)
  }

  @Test func `in use is told with its engine on a machine with many locks`() throws {
    let first = try scratch.open()
    let path = "\(scratch.folder)/other"
    let others = (0..<400).map { _ in unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
    defer { for other in others { close(other) } }
    for other in others { #expect(flock(other, LOCK_SH) == 0) }
    try expectRefusal("another engine (pid \(getpid()))", .busy)
    try first.close()
  }

  @Test func `that what a killed engine had begun still has is waited for`() async throws {
    let scratch = scratch
    try scratch.open().close()
    // Has inherited the lock of a process that is gone.
    let script = "exec 9>>\"$1\"; flock 9; sleep 1000 >/dev/null 2>&1 & echo $!"
    let output = try await ToolOutput.of(["/bin/sh", "-c", script, "sh", scratch.path])
    let heir = try #require(Int32(output.output.split(separator: "\n").first ?? ""))
    let opened = Task.detached { try scratch.open().lastSeq }
    await Task.yield()
    kill(heir, SIGKILL)
    #expect(try await opened.value == 0)
  }

  @Test func `on a full disk refuses the whole write and goes on when there is space`() throws {
    let journal = try scratch.open()
    let job = try JobFixture().submit(to: journal, at: .noon()).snapshot
    func allow(_ pages: Int) throws {
      try journal.pool.writeWithoutTransaction {
        try $0.execute(sql: "PRAGMA max_page_count = \(pages)")
      }
    }
    try allow(1)
    let big = String(repeating: "x", count: 1_000_000)
    let drafts = [EventDraft(nil, .engine(EngineNotice(.started, big)))] + job.life()
    #expect(code { try journal.append(drafts, at: .noon()) } == .journal)
    #expect(journal.lastSeq == 1)
    #expect(try journal.job(job.id, withPlan: true) == job)
    try allow(1_000_000)
    let events = try journal.append(drafts, at: .noon())
    #expect(events.first?.seq == 2)
    #expect(try journal.job(job.id, withPlan: true) == job.replaying(events))
  }

  @Test func `used after closing is an error`() throws {
    let journal = try scratch.open()
    try journal.close()
    #expect(code { try journal.jobs() } == .journal)
    #expect(code { try JobFixture().submit(to: journal) } == .journal)
  }
}

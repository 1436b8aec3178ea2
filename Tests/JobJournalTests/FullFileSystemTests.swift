import Glibc
import InstallJobs
import Support
import Testing

@testable import JobJournal

@Suite(
  .timeLimit(.minutes(5)), .endsOrAborts, .serialized,
  .enabled("needs root that may mount") { SmallFileSystem.canBeMade })
struct `A journal on a full file system` {
  private func open(_ disk: SmallFileSystem, hasReserve: Bool = true) throws -> Journal {
    let reserve = SpaceReserve(folder: disk.path + "/reserve")
    if reserve.isDiskFull { reserve.release() }
    let journal = try Journal.open(at: disk.path + "/journal.sqlite", reserve: reserve)
    if hasReserve { reserve.make() }
    return journal
  }

  private func submit(to journal: Journal) throws -> JobID {
    try JobFixture().submit(to: journal).snapshot.id
  }

  private func notice(_ text: String) -> EventDraft {
    EventDraft(nil, .engine(EngineNotice(.started, text)))
  }

  @Test func `room that was set aside can be used once it is given up, and is set aside again`()
    throws
  {
    let disk = try SmallFileSystem(size: 2 << 20)
    let reserve = SpaceReserve(folder: disk.path + "/reserve")
    #expect(!reserve.isHeld && reserve.make() && reserve.isHeld)
    try disk.fill()
    #expect(reserve.isDiskFull && SpaceReserve(folder: reserve.folder).isHeld)
    #expect(reserve.release() && !reserve.isHeld)
    #expect(!reserve.isDiskFull, "the blocks are there")
    try disk.fill()
    #expect(!reserve.release() && !reserve.make() && reserve.isDiskFull)
    disk.free()
    #expect(reserve.make() && !reserve.isDiskFull)
  }

  @Test func `files that were set aside can be made once the reserve is given up`() throws {
    let disk = try SmallFileSystem(size: 8 << 20, files: 64)
    let reserve = SpaceReserve(folder: disk.path + "/reserve")
    #expect(reserve.make())
    try disk.useUpFiles()
    #expect(reserve.isDiskFull && reserve.release() && !reserve.isDiskFull)
    try disk.useUpFiles()
    #expect(!reserve.make())
    disk.free()
    #expect(reserve.make())
  }

  @Test func `what must be recorded is, and what is new is refused`() throws {
    let disk = try SmallFileSystem(size: 8 << 20)
    let journal = try open(disk)
    let first = try submit(to: journal)
    try disk.fill()
    // The write-ahead file may have room left.
    var refusal: InstallationError?
    for _ in 0..<5000 where refusal == nil {
      do { _ = try submit(to: journal) } catch { refusal = error as? InstallationError }
    }
    let error = try #require(refusal)
    #expect(journal.isDiskFull(error) && journal.reserve?.isHeld == true, "\(error)")
    let seq = journal.lastSeq
    let events = try journal.append(
      [EventDraft(first, .cleanedUp(by: Requester(uid: 1000, user: "ops")))],
      at: Timestamp(milliseconds: 2), mayUseReserve: true)
    #expect(events.map(\.seq) == [seq + 1] && journal.reserve?.isHeld == false)
    try journal.close()
  }

  @Test func `nothing uses the reserve that was not told to`() throws {
    let disk = try SmallFileSystem(size: 8 << 20)
    let journal = try open(disk)
    let job = try submit(to: journal)
    try disk.fill()
    var refusal: InstallationError?
    for number in 0..<5000 where refusal == nil {
      do {
        _ = try journal.append([notice("\(number)")], at: Timestamp(milliseconds: 1))
      } catch { refusal = error }
    }
    #expect(refusal != nil)
    let entry = AuditEntry(
      at: Timestamp(milliseconds: 1), requester: Requester(uid: 1000, user: "ops"), pid: nil,
      command: nil, act: "abort", job: job, outcome: "notPermitted")
    #expect(throws: InstallationError.self) { for _ in 0..<5000 { try journal.audit(entry) } }
    #expect(journal.reserve?.isHeld == true)
    try journal.close()
  }

  @Test func `the reserve lasts for thousands of acts that may use it`() throws {
    let disk = try SmallFileSystem(size: 16 << 20)
    let journal = try open(disk)
    let job = try submit(to: journal)
    try disk.fill()
    let entry = AuditEntry(
      at: Timestamp(milliseconds: 1), requester: Requester(uid: 1000, user: "ops"), pid: 7,
      command: "fettle", act: "abort", job: job, outcome: AuditEntry.permitted)
    for _ in 0..<3000 { try journal.audit(entry, mayUseReserve: true) }
    #expect(journal.reserve?.isHeld == false)
    try journal.close()
  }

  @Test func `a link in the place of the reserve, or in it, is not followed`() throws {
    let disk = try SmallFileSystem(size: 8 << 20)
    let (folder, target) = (disk.path + "/reserve", disk.path + "/target")
    #expect(unsafe mkdir(target, 0o700) == 0)
    try TestFolder.write("precious\n", to: target + "/file-1")
    #expect(unsafe symlink(target, folder) == 0)
    let linked = SpaceReserve(folder: folder)
    #expect(!linked.make() && !linked.release() && !linked.isHeld)
    #expect(TestFolder.names(in: target) == ["file-1"])
    #expect(unsafe unlink(folder) == 0 && mkdir(folder, 0o700) == 0)
    #expect(unsafe link(target + "/file-1", folder + "/blocks") == 0)
    #expect(unsafe symlink(target + "/file-2", folder + "/file-2") == 0)
    #expect(SpaceReserve(folder: folder).make())
    #expect(TestFolder.names(in: target) == ["file-1"])
    #expect(TestFolder.text(of: target + "/file-1") == "precious\n")
  }

  @Test func `it is opened, read, and written again once there is room, without a byte left`()
    throws
  {
    let disk = try SmallFileSystem(size: 4 << 20)
    var journal = try open(disk, hasReserve: false)
    let id = try submit(to: journal)
    try journal.close()
    _ = SpaceReserve(folder: disk.path + "/reserve").release()
    try disk.fill()
    journal = try open(disk, hasReserve: false)
    #expect(try journal.job(id, withPlan: true).id == id)
    let error = #expect(throws: InstallationError.self) {
      try journal.append([notice("full")], at: Timestamp(milliseconds: 2))
    }
    #expect(try journal.isDiskFull(#require(error)))
    disk.free()
    #expect(try journal.append([notice("free")], at: Timestamp(milliseconds: 3)).count == 1)
    try journal.close()
    let last = try open(disk)
    #expect(last.lastSeq == 2)
    try last.close()
  }

  @Test func `it is opened with the files that were set aside where no other can be made`() throws {
    let disk = try SmallFileSystem(size: 8 << 20, files: 64)
    var journal = try open(disk)
    let id = try submit(to: journal)
    try journal.close()
    try disk.useUpFiles()
    journal = try open(disk)
    #expect(try journal.job(id, withPlan: false).id == id)
    #expect(try journal.append([notice("started")], at: Timestamp(milliseconds: 2)).count == 1)
    try journal.close()
  }

  @Test func `a refusal for want of files names the full file system, not owner and mode`() throws {
    let disk = try SmallFileSystem(size: 8 << 20, files: 64)
    let journal = try open(disk, hasReserve: false)
    try journal.close()
    let path = disk.path + "/journal.sqlite"
    _ = SpaceReserve(folder: disk.path + "/reserve").release()
    for suffix in ["-wal", "-shm"] { _ = unsafe unlink(path + suffix) }
    try disk.useUpFiles()
    let unopened = #expect(throws: InstallationError.self) { try open(disk, hasReserve: false) }
    #expect(unopened?.message == "cannot open the journal \(path): the file system is full")
    #expect(unopened?.hint?.contains("'df -i'") == true)
    #expect(unsafe unlink(path) == 0)
    try disk.useUpFiles()
    let uncreated = #expect(throws: InstallationError.self) { try open(disk, hasReserve: false) }
    #expect(uncreated?.message == "cannot create the journal \(path): the file system is full")
    #expect(uncreated?.hint == unopened?.hint)
  }

  @Test func `what a reserve has given up is no new room`() throws {
    let disk = try SmallFileSystem(size: 12 << 20)
    let reserve = SpaceReserve(folder: disk.path + "/reserve")
    #expect(reserve.make())
    try disk.fill()
    #expect(reserve.release())
    for _ in 0..<3 { #expect(!reserve.make(), "it would become smaller each time") }
    disk.free()
    #expect(reserve.make() && reserve.isHeld)
  }
}

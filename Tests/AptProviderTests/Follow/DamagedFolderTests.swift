import Glibc
import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem
@testable import PackageProvider

@Suite(.timeLimit(.minutes(5)), .endsOrAborts)
struct `Job folders that somebody has changed` {
  private static let empty = JobPlan(requests: [], steps: [])

  @Test func `a fifo in place of a file is read as nothing, and waited for by nobody`() throws {
    let scratch = try TestFolder()
    let folder = JobFolder(path: scratch.path)
    let entries: [JobFolder.Entry] = [
      .exit, .started, .stages, .dpkgStatus, .status, .log, .stop, .gate,
    ]
    for entry in entries {
      #expect(unsafe mkfifo(folder.path(entry), 0o600) == 0)
    }
    var reader = FolderReader(folder: folder, plan: Self.empty)
    _ = reader.next()
    #expect(reader.end == nil)
    #expect(folder.value(ProcessIdentity.self, of: .started) == nil)
    #expect(folder.text(of: .stop).isEmpty)
    #expect(folder.open(.log, O_WRONLY) == nil)
    #expect(folder.whileGateIsLocked { true } == nil)
    #expect(RootFiles.bytes(of: folder.path(.log), limit: 10) == nil)
  }

  @Test func `a file that was emptied is read on from its new end, and reported`() throws {
    let scratch = try TestFolder()
    let path = scratch.path("lines")
    try TestFolder.write("one\ntwo\n", to: path)
    var file = GrowingFile(path)
    #expect(file.lines() == ["one", "two"])
    try TestFolder.write("", to: path)
    #expect(file.lines().isEmpty)
    #expect(file.isCut)
    try TestFolder.write("three\n", to: path)
    #expect(file.lines() == ["three"])
  }

  @Test func `a file that was made long is read up to a bound, also after it was emptied`() throws {
    let scratch = try TestFolder()
    let path = scratch.path("lines")
    try TestFolder.write("one\n", to: path)
    var file = GrowingFile(path, mostLines: 64)
    #expect(file.lines() == ["one"])
    #expect(unsafe truncate(path, 2 << 40) == 0)
    var pieces = 0
    while !file.lines(chunk: 1024).isEmpty { pieces += 1 }
    #expect(pieces == 15 && file.isOverlong)
    #expect(unsafe truncate(path, 0) == 0)
    #expect(file.lines().isEmpty)
    try TestFolder.write(String(repeating: "x\n", count: 2000), to: path)
    #expect(file.lines().isEmpty)
    try TestFolder.write(String(repeating: "x\n", count: 3), to: scratch.path("short"))
    var short = GrowingFile(scratch.path("short"), mostLines: 3)
    #expect(short.lines().count == 3 && short.lines().isEmpty && !short.isOverlong)
  }

  @Test func `work whose status files were made long is at its end when all is read that ever is`()
    throws
  {
    let scratch = try TestFolder()
    let folder = JobFolder(path: scratch.path)
    for entry in [JobFolder.Entry.stages, .dpkgStatus, .status] {
      try TestFolder.write("", to: folder.path(entry))
      #expect(unsafe truncate(folder.path(entry), 2 << 40) == 0)
    }
    #expect(folder.write(WorkEnd(exitStatus: 0, stoppedAtBoundary: false), to: .exit))
    var reader = FolderReader(folder: folder, plan: Self.empty)
    while reader.next() != nil, !reader.isExhausted {}
    #expect(reader.end?.exitStatus == 0)
    #expect(Set(reader.overlongFiles) == ["stages", "dpkg-status", "status"])
  }

  @Test func `a worker whose notes were emptied is followed for as long as it holds its lock`()
    async throws
  {
    let scratch = try TestFolder()
    let folder = JobFolder(path: scratch.path)
    for entry in [JobFolder.Entry.started, .stages, .lock] {
      try TestFolder.write("", to: folder.path(entry))
    }
    // An open file of its own, as another process would have.
    let lock = Locked(folder.open(.lock, O_RDWR))
    #expect(lock.value.map { isLocked($0.number) } == true)
    let clock = ManualClock()
    let reader = FolderReader(folder: folder, plan: Self.empty, offsets: ["stages": 40])
    let start = Follower(folder: folder, reader: reader, worker: nil, clock: clock)
    let reports = Locked<[WorkReport]>([])
    let following = Task {
      var follower = start
      await follower.follow { batch in reports.change { $0 += batch.reports } }
    }
    try await eventually { reports.value.contains(.abandoned) }
    #expect(!reports.value.contains(.lost))
    #expect(
      reports.value.contains(
        .remark("the file stages in the job's folder was emptied by another process")))
    try await clock.waitForSleepers(1)
    lock.change { $0 = nil }
    await clock.advance { reports.value.contains(.lost) }
    await following.value
    #expect(reports.value.last == .lost)
  }

  private func isLocked(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }
}

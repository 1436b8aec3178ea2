import Glibc
import InstallJobs
import JobEngine
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(
  .timeLimit(.minutes(1)), .endsOrAborts, .serialized,
  .enabled("needs root that may mount") { SmallFileSystem.canBeMade })
struct `An engine whose state folder is full` {
  private static let ops = EngineFixture.ops
  private static let request = JobRequest(.install, [Update("p1")])

  private func start(
    on disk: SmallFileSystem,
    _ provider: SimulatedProvider = SimulatedProvider(playing: .instant(3))
  ) async throws -> (Engine, Journal) {
    let reserve = SpaceReserve(folder: disk.path + "/reserve")
    if reserve.isDiskFull { reserve.release() }
    let journal = try Journal.open(at: disk.path + "/journal.sqlite", reserve: reserve)
    let engine = Engine(
      provider: provider, journal: journal,
      settings: EngineSettings(stateFolder: disk.path, version: "test"))
    try await engine.start()
    return (engine, journal)
  }

  private func act(_ name: String, on job: JobID? = nil) -> AuditedAct {
    AuditedAct(name, on: job, by: Self.ops, pid: 1, command: "test", outcome: "permitted")
  }

  private func ended(_ engine: Engine) async throws -> JobID {
    let id = try await engine.submit(Self.request, by: Self.ops).id
    try await eventually("the end") { try await engine.job(id).state == .completed }
    return id
  }

  /// Fills the file system, with what the write-ahead file has room for.
  private func fill(_ disk: SmallFileSystem, under journal: Journal) throws {
    try disk.fill()
    var isFull = false
    for _ in 0..<5000 where !isFull {
      isFull =
        (try? journal.append(
          [EventDraft(nil, .engine(EngineNotice(.started, "x")))],
          at: Timestamp(milliseconds: 1))) == nil
    }
    #expect(isFull)
  }

  @Test func `it cleans up, records that, refuses what is new, and goes on once there is room`()
    async throws
  {
    let disk = try SmallFileSystem(size: 12 << 20)
    let (engine, journal) = try await start(on: disk)
    let first = try await ended(engine)
    try fill(disk, under: journal)
    let refusal = await #expect(throws: InstallationError.self) {
      try await engine.audit(act("submit"))
    }
    #expect(refusal?.code == .noSpace && refusal?.hint?.contains("cleanup") == true)
    let later = await #expect(throws: InstallationError.self) {
      try await engine.submit(Self.request, by: Self.ops)
    }
    #expect(later?.code == .noSpace)
    try await engine.audit(act("cleanUp", on: first))
    try await engine.cleanUp(first, by: Self.ops)
    #expect(try journal.job(first, withPlan: false).isCleanedUp)
    let status = try await engine.status()
    #expect(status.queue.pause?.cause == .journal && status.queue.paused, "\(status)")
    #expect(status.queue.pause?.detail?.contains("full") == true)
    #expect(try await engine.jobs(in: nil).map(\.id) == [first])
    disk.free()
    try await eventually("the end of the shortage") {
      try await engine.status().queue.pause == nil
    }
    _ = try await ended(engine)
  }

  @Test func `a refused act leaves the reserve to those who may act`() async throws {
    let disk = try SmallFileSystem(size: 12 << 20)
    let (engine, journal) = try await start(on: disk)
    let first = try await ended(engine)
    try fill(disk, under: journal)
    let looker = Requester(uid: 4711, user: "looker")
    for name in ["abort", "suspend", "cleanUp", "move"] {
      for isUnprivileged in [true, false] {
        _ = try? await engine.audit(
          AuditedAct(
            name, on: first, by: isUnprivileged ? looker : Self.ops, pid: 1, command: "test",
            outcome: isUnprivileged ? "notPermitted" : "invalidState",
            isUnprivileged: isUnprivileged))
      }
    }
    #expect(journal.reserve?.isHeld == true)
    try await engine.audit(act("abort", on: first))
    #expect(journal.reserve?.isHeld == false)
    #expect(try journal.auditEntries(limit: 1).map(\.outcome) == ["permitted"])
  }

  @Test func `many that ask at once on a full disk wait for one attempt to make room`() async throws
  {
    let disk = try SmallFileSystem(size: 12 << 20)
    let (engine, journal) = try await start(on: disk)
    try fill(disk, under: journal)
    try await engine.audit(act("abort"))
    #expect(journal.reserve?.isHeld == false)
    let refused = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let error = await #expect(throws: InstallationError.self) {
            try await engine.submit(Self.request, by: Self.ops)
          }
          return error?.code == .noSpace
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(refused == 50)
    disk.free()
    // The next that asks need not wait for the timer.
    _ = try await ended(engine)
  }

  @Test func `clean up frees files and answers before its record can be written`() async throws {
    let disk = try SmallFileSystem(size: 12 << 20)
    let (engine, journal) = try await start(on: disk)
    let first = try await ended(engine)
    let archives = JobFolder(of: first, inState: disk.path).path + "/archives"
    for folder in [disk.path + "/jobs", disk.path + "/jobs/\(first)", archives] {
      unsafe mkdir(folder, 0o755)
    }
    try TestFolder.write([UInt8](repeating: 1, count: 4096), to: archives + "/p1.deb")
    try fill(disk, under: journal)
    journal.reserve?.release()
    try fill(disk, under: journal)
    try await engine.cleanUp(first, by: Self.ops)
    #expect(!TestFolder.exists(archives), "the files are gone")
    disk.free()
    try await eventually("the record") { try journal.job(first, withPlan: false).isCleanedUp }
  }

  @Test
  func `it starts without a byte left, lists and cleans up, and takes jobs once there is room`()
    async throws
  {
    let disk = try SmallFileSystem(size: 12 << 20)
    let first: JobID
    do {
      let (engine, journal) = try await start(on: disk)
      first = try await ended(engine)
      try journal.close()
    }
    SpaceReserve(folder: disk.path + "/reserve").release()
    try disk.fill()
    let (engine, journal) = try await start(on: disk)
    #expect(try await engine.jobs(in: nil).map(\.id) == [first])
    #expect(try await engine.status().queue.pause?.cause == .journal)
    try await engine.cleanUp(first, by: Self.ops)
    disk.free()
    _ = try await ended(engine)
    try await eventually("the record") { try journal.job(first, withPlan: false).isCleanedUp }
  }

  @Test func `it starts where no file can be made any more`() async throws {
    let disk = try SmallFileSystem(size: 12 << 20, files: 128)
    let first: JobID
    do {
      let (engine, journal) = try await start(on: disk)
      first = try await ended(engine)
      try journal.close()
    }
    try disk.useUpFiles()
    let (engine, _) = try await start(on: disk)
    #expect(try await engine.jobs(in: nil).map(\.id) == [first])
    try await engine.cleanUp(first, by: Self.ops)
    disk.free()
    _ = try await ended(engine)
  }
}

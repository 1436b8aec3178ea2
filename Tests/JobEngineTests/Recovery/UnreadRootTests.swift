import InstallJobs
import JobEngine
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(2)), .endsOrAborts)
struct `The status of a root whose disk does not answer` {
  @Test func `does not call a lock free that was never read, to none of many who ask`()
    async throws
  {
    let folder = try ScratchFolder()
    let provider = RootByHand()
    let engine = Engine(
      provider: provider, journal: try Journal.open(at: folder.path("journal.sqlite")),
      settings: EngineSettings(stateFolder: folder.path, version: "test"))
    try await withThrowingTaskGroup(of: EngineStatus.self) { group in
      for _ in 0..<6 { group.addTask { try await engine.status() } }
      for try await status in group { #expect(status.isRootUnknown == true) }
    }
    provider.disk.open()
    try await eventually { try await engine.status().isRootUnknown == nil }
    #expect(try await engine.status().lock == RootByHand.holder)
  }
}

/// A scripted package system whose root is read when the test lets it be.
private final class RootByHand: PackageProvider {
  static let holder = LockHolder(pid: 1, command: "apt-get")
  let disk = Gate()
  private let inner = SimulatedProvider(playing: .instant(1))

  var name: String { inner.name }
  var root: String { inner.root }

  func rebootReasons() async -> RebootMarker { await inner.rebootReasons() }

  func lockHolder() async -> LockHolder? {
    disk.wait()
    return Self.holder
  }

  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan { try await inner.plan(request, behind: pending) }

  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    try await inner.start(work)
  }

  func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun {
    await inner.follow(work, from: offsets)
  }

  func verify(_ plan: JobPlan) async -> Verification { await inner.verify(plan) }

  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    try await inner.upgradableUpdates()
  }
  func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult {
    try await inner.search(criteria, keptIn: stateFolder)
  }

  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {}

  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError) {}

  func update(
    in archive: LocalArchive, at path: String
  ) async throws(InstallationError) -> Update { try await inner.update(in: archive, at: path) }
}

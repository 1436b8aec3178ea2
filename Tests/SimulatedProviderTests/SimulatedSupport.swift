import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Synchronization

/// A simulated run in a test: collects its batches, moves its clock.
final class Playing: Sendable {
  let provider: SimulatedProvider
  let clock: ManualClock
  let work: JobWork
  let run: any JobRun
  private let collected = Mutex<[WorkBatch]>([])
  private let isOver = Mutex(false)

  init(
    _ request: JobRequest, with provider: SimulatedProvider, clock: ManualClock, job: Int = 1,
    folder: String = "/nonexistent/job", finished: Set<Int> = []
  ) async throws {
    self.provider = provider
    self.clock = clock
    let plan = try await provider.plan(try request.validated())
    work = JobWork(
      id: JobID(job), request: request, plan: plan, folder: JobFolder(path: folder),
      archiveStore: "/nonexistent", finishedSteps: finished)
    run = try await provider.start(work)
    collect()
  }

  convenience init(
    _ scenario: Scenario, _ request: JobRequest? = nil, folder: String = "/nonexistent/job"
  ) async throws {
    let clock = ManualClock()
    try await self.init(
      request ?? scenario.installsEverything,
      with: SimulatedProvider(playing: scenario, clock: clock), clock: clock, folder: folder)
  }

  /// Goes on with the work of `other`, as a new engine does.
  init(following other: Playing, provider: SimulatedProvider, offsets: StreamOffsets) async {
    self.provider = provider
    clock = other.clock
    work = other.work
    run = await provider.follow(work, from: offsets)
    collect()
  }

  private func collect() {
    Task {
      for await batch in run.batches { collected.withLock { $0.append(batch) } }
      isOver.withLock { $0 = true }
    }
  }

  var batches: [WorkBatch] { collected.withLock { $0 } }
  var reports: [WorkReport] { batches.flatMap(\.reports) }
  var hasEnded: Bool { isOver.withLock { $0 } }
  var offsets: StreamOffsets { batches.last?.offsets ?? [:] }

  /// The phases that were reported, as `p1 unpacking`.
  var phases: [String] {
    reports.compactMap { report in
      guard case .phase(let step, let phase) = report else { return nil }
      return "\(work.plan.steps[step].name) \(phase.rawValue)"
    }
  }

  var end: WorkEnd? {
    guard case .ended(let end) = reports.last else { return nil }
    return end
  }

  /// Plays until the work is over.
  func toEnd() async throws {
    await clock.advance { self.hasEnded }
    try await eventually("the run ends") { self.hasEnded }
  }

  func verification() async -> Verification { await provider.verify(work.plan) }
}

extension JobRun {
  /// Asks for an abort by somebody whose name does not matter.
  func requestStop() async -> StopAnswer {
    await requestStop(.abort(by: Requester(uid: 1000, user: "ops")), at: Timestamp(milliseconds: 0))
  }
}

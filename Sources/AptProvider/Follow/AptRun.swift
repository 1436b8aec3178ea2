import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider
import Synchronization

/// The work of one job, followed through its folder; the same after a restart as from the start.
///
/// It owns nothing of the work: when it goes away, the work goes on.
package final class AptRun: JobRun {
  package let batches: AsyncStream<WorkBatch>
  package let foundArchives: Bool
  package let satisfiedSteps: Set<Int>
  private let folder: JobFolder
  private let plan: JobPlan
  private let names: PlanNames
  private let task: Task<Void, Never>
  private let boundaries = Mutex<KnownBoundaries?>(nil)

  /// Follows a job folder.
  ///
  /// - Parameters:
  ///   - folder: The job's folder, which exists.
  ///   - plan: The job's frozen plan.
  ///   - offsets: How far the files have been read already.
  ///   - root: What stands before paths that dpkg names; empty where it works on `/`.
  ///   - clock: What the wait for a lock that is let go without a sign is measured with.
  package convenience init(
    folder: JobFolder, plan: JobPlan, from offsets: StreamOffsets = [:], root: String = "",
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      folder: folder, plan: plan, from: offsets, worker: nil, foundArchives: false, root: root,
      clock: clock)
  }

  // Without a descriptor of the worker, it is found by what it left in the folder.
  init(
    folder: JobFolder, plan: JobPlan, from offsets: StreamOffsets, worker: Descriptor?,
    foundArchives: Bool, satisfiedSteps: Set<Int> = [], root: String = "",
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.foundArchives = foundArchives
    self.satisfiedSteps = satisfiedSteps
    self.folder = folder
    self.plan = plan
    names = PlanNames(plan)
    let (stream, continuation) = AsyncStream<WorkBatch>.makeStream()
    batches = stream
    let follower = Follower(
      folder: folder,
      reader: FolderReader(folder: folder, plan: plan, offsets: offsets, root: root),
      worker: worker, clock: clock)
    // Ends with its reader; the work is no child of it.
    let task = Task.detached {
      var follower = follower
      await follower.follow { continuation.yield($0) }
      continuation.finish()
    }
    self.task = task
    continuation.onTermination = { _ in task.cancel() }
  }

  deinit { task.cancel() }

  package func lockGate() async -> GateLock { await GateLock.lock(folder) }

  package func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer {
    if let refusal = gate.refusal { return .impossible(refusal) }
    let record = StopRecord(request, at: time)
    func decide() -> StopAnswer {
      let (answer, decision) = present()
      guard answer.isStop else { return answer }
      // Nothing is promised that the gate will not find, or the next engine.
      guard let decision else { return folder.changeStop(to: record) ? answer : Self.unwritten }
      guard folder.askForStop(decision.text(for: record)) else { return Self.unwritten }
      // Only the worker, and only it: what it runs must never get a signal.
      if let worker = folder.value(ProcessIdentity.self, of: .started)?.open() {
        _ = process_signal(worker.number, SIGTERM)
      }
      return answer
    }
    if case .held = gate.state { return decide() }
    return folder.has(.work) && !folder.has(.exit) ? Self.unwritten : .over
  }

  private static let lost = StopAnswer.impossible(
    "its worker is gone, and nobody else can stop what still runs; the job is settled when that is "
      + "over and nobody holds the package lock")

  private static let unwritten = StopAnswer.impossible(
    "the request to stop cannot be written into the job's folder; check its space and try again")

  package func previewStop() async -> StopAnswer {
    // Without the gate's lock: a preview may be a moment old.
    if folder.has(.stop), let earlier = earlierAnswer { return earlier }
    if folder.has(.exit) { return .over }
    return folder.isWithoutWorker ? Self.lost : presentBoundaries().answer
  }

  package func pendingStop() async -> PendingStop {
    if let answer = earlierAnswer {
      return .asked(StopDecision.record(in: folder.text(of: .stop)), answer)
    }
    guard folder.has(.started), !folder.has(.stop), !folder.has(.stopped) else { return .over }
    if let end = folder.value(WorkEnd.self, of: .exit) {
      return end.stoppedAtBoundary ? .over : .none
    }
    return folder.hasLostWorker ? .over : .none
  }

  package func stallCause() async -> StallCause? {
    guard let worker = folder.value(ProcessIdentity.self, of: .started) else { return nil }
    return StallCause(of: worker.session().compactMap { WorkProcess(of: $0.pid) })
  }

  package func withdrawStop(under gate: GateLock) async -> Bool {
    guard case .held = gate.state else { return false }
    return folder.withdrawStopUnderLock()
  }

  /// What was answered before, also of work that has stopped for it; nil where nobody asked.
  private var earlierAnswer: StopAnswer? {
    guard let answer = StopDecision.answer(recordedIn: folder.text(of: .stop)) else { return nil }
    let hasEnded = folder.has(.exit)
    return !hasEnded || folder.value(WorkEnd.self, of: .exit)?.stoppedAtBoundary == true
      ? answer : nil
  }

  /// What is to be answered now; the decision is nil where it was made before.
  private func present() -> (answer: StopAnswer, decision: StopDecision?) {
    if let earlier = earlierAnswer { return (earlier, nil) }
    if folder.has(.exit) { return (.over, nil) }
    if folder.isWithoutWorker { return (Self.lost, nil) }
    let decision = StopDecision(at: presentBoundaries(), plan: plan)
    return (decision.answer, decision)
  }

  // The sequence of a large job is long, and of its calls only the new ones are read.
  private func presentBoundaries() -> StopBoundaries {
    let trace = RootFiles.trace(folder.path(.sequence))
    return boundaries.withLock { known in
      if known?.trace != trace || known == nil {
        let printed = folder.text(of: .sequence)
        let sequence =
          printed.isEmpty ? WorkSequence(of: plan) : WorkSequence(printed: printed, names: names)
        known = KnownBoundaries(
          trace: trace,
          boundaries: StopBoundaries(of: sequence, steps: plan.steps.count, names: names),
          calls: GrowingFile(folder.path(.calls)))
      }
      return known?.present() ?? StopBoundaries(of: WorkSequence(of: plan), steps: 0, names: names)
    }
  }

  private struct KnownBoundaries: Sendable {
    var trace: RootFiles.Trace?
    var boundaries: StopBoundaries
    var calls: GrowingFile

    mutating func present() -> StopBoundaries {
      while case let lines = calls.lines(), !lines.isEmpty {
        for line in lines { boundaries.apply(line) }
      }
      return boundaries
    }
  }
}

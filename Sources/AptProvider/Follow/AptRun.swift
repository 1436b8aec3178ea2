import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider
import Synchronization

/// The work of one job, followed through its folder, by the engine that started it or by a later
/// engine.
///
/// Ends without effect on the work when it is deallocated.
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
  ///   - offsets: The number of bytes read of each file already.
  ///   - root: The prefix of paths that dpkg names; empty where it works on `/`.
  ///   - clock: The clock for polling a lock whose release sends no event.
  package convenience init(
    folder: JobFolder, plan: JobPlan, from offsets: StreamOffsets = [:], root: String = "",
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      folder: folder, plan: plan, from: offsets, worker: nil, foundArchives: false, root: root,
      clock: clock)
  }

  // Without a descriptor, the worker is found by the files in its folder.
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
    // The task ends with this run, not with the work.
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
      let (answer, decision) = currentAnswer()
      guard answer.isStop else { return answer }
      // A promised stop must be in the file, where the gate and a later engine find it.
      guard let decision else {
        return folder.replaceStopRequest(to: record) ? answer : Self.unwritten
      }
      guard folder.writeStopRequest(decision.text(for: record)) else { return Self.unwritten }
      // Signals only the worker; its tools must never receive a signal.
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
    // Read without the gate's lock: a preview may be out of date.
    if folder.has(.stop), let earlier = earlierAnswer { return earlier }
    if folder.has(.exit) { return .over }
    return folder.isWithoutWorker ? Self.lost : presentBoundaries().answer
  }

  package func pendingStop() async -> PendingStop {
    if let answer = earlierAnswer {
      return .requested(StopDecision.record(in: folder.text(of: .stop)), answer)
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

  /// The answer given before, also for work that has stopped for it; nil where no request was made.
  private var earlierAnswer: StopAnswer? {
    guard let answer = StopDecision.answer(recordedIn: folder.text(of: .stop)) else { return nil }
    let hasEnded = folder.has(.exit)
    return !hasEnded || folder.value(WorkEnd.self, of: .exit)?.stoppedAtBoundary == true
      ? answer : nil
  }

  /// The present answer; the decision is nil where it was made before.
  private func currentAnswer() -> (answer: StopAnswer, decision: StopDecision?) {
    if let earlier = earlierAnswer { return (earlier, nil) }
    if folder.has(.exit) { return (.over, nil) }
    if folder.isWithoutWorker { return (Self.lost, nil) }
    let decision = StopDecision(at: presentBoundaries(), plan: plan)
    return (decision.answer, decision)
  }

  // The sequence of a large job is long, so it is parsed once, and only new calls are read.
  private func presentBoundaries() -> StopBoundaries {
    let trace = RootFiles.status(folder.path(.sequence))
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

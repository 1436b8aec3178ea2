import CProcess
import Glibc
package import InstallJobs
import Synchronization

/// The work of one job, followed through its folder; the same after a restart as from the start.
///
/// It owns nothing of the work: when it goes away, the work goes on.
package final class AptRun: JobRun {
  package let batches: AsyncStream<WorkBatch>
  private let folder: JobFolder
  private let plan: JobPlan
  private let names: PlanNames
  private let task: Task<Void, Never>
  private let sequence = Mutex<KnownSequence?>(nil)

  /// Follows a job folder.
  ///
  /// - Parameters:
  ///   - folder: The job's folder, which exists.
  ///   - plan: The job's frozen plan.
  ///   - offsets: How far the files have been read already.
  package convenience init(folder: JobFolder, plan: JobPlan, from offsets: StreamOffsets = [:]) {
    self.init(folder: folder, plan: plan, from: offsets, worker: nil)
  }

  // Without a descriptor of the worker, it is found by what it left in the folder.
  init(folder: JobFolder, plan: JobPlan, from offsets: StreamOffsets, worker: Descriptor?) {
    self.folder = folder
    self.plan = plan
    names = PlanNames(plan)
    let (stream, continuation) = AsyncStream<WorkBatch>.makeStream()
    batches = stream
    let follower = Follower(
      folder: folder, reader: FolderReader(folder: folder, plan: plan, offsets: offsets),
      worker: worker)
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

  package func requestStop() async -> StopAnswer {
    let answer: StopAnswer? = folder.whileGateIsLocked {
      let (answer, decision) = present()
      guard let decision, answer == .atOnce || isStopAfterStep(answer) else { return answer }
      // Nothing is promised that the gate will not find.
      guard folder.create(.stop, decision.text) else { return Self.unwritten }
      // Only the worker, and only it: what it runs must never get a signal.
      if let worker = folder.value(ProcessIdentity.self, of: .started)?.open() {
        _ = process_signal(worker.number, SIGTERM)
      }
      return answer
    }
    return answer ?? (folder.has(.work) && !folder.has(.exit) ? Self.unwritten : .over)
  }

  private static let unwritten = StopAnswer.impossible(
    "the request to stop cannot be written into the job's folder; check its space and try again")

  private func isStopAfterStep(_ answer: StopAnswer) -> Bool {
    if case .after = answer { true } else { false }
  }

  package func previewStop() async -> StopAnswer {
    // Without the gate's lock: a preview may be a moment old anyway.
    present().answer
  }

  package func withdrawStop() async -> Bool {
    folder.whileGateIsLocked {
      guard folder.has(.stop), !folder.has(.stopped), !folder.has(.exit) else { return false }
      folder.remove(.stop)
      return true
    } ?? false
  }

  /// What is to be answered now; the decision is nil where it was made before.
  private func present() -> (answer: StopAnswer, decision: StopDecision?) {
    if folder.has(.exit) { return (.over, nil) }
    if let earlier = StopDecision.answer(recordedIn: folder.text(of: .stop)) {
      return (earlier, nil)
    }
    let decision = StopDecision(
      calls: folder.text(of: .calls).split(separator: "\n"), sequence: presentSequence(),
      plan: plan, names: names)
    return (decision.answer, decision)
  }

  // Previews are asked for often, and the sequence of a large job is long.
  private func presentSequence() -> WorkSequence {
    let trace = RootFiles.trace(folder.path(.sequence))
    return sequence.withLock { known in
      if let known, known.trace == trace { return known.sequence }
      let printed = folder.text(of: .sequence)
      let fresh =
        printed.isEmpty ? WorkSequence(of: plan) : WorkSequence(printed: printed, names: names)
      known = KnownSequence(trace: trace, sequence: fresh)
      return fresh
    }
  }

  private struct KnownSequence: Sendable {
    var trace: RootFiles.Trace?
    var sequence: WorkSequence
  }
}

/// The loop behind a run: wakes up, reads, and notices when the worker is gone.
private struct Follower: Sendable {
  let folder: JobFolder
  var reader: FolderReader
  var worker: Descriptor?
  private var identity: ProcessIdentity?
  private var watched: Set<ProcessIdentity> = []
  private var gauge: UnpackGauge?
  private var shown: (step: Int, share: Double) = (-1, 0)

  /// The least time between two readings: a burst of lines becomes one batch.
  static let rest = Duration.milliseconds(20)

  init(folder: JobFolder, reader: FolderReader, worker: Descriptor?) {
    self.folder = folder
    self.reader = reader
    self.worker = worker
  }

  mutating func follow(_ emit: (WorkBatch) -> Void) async {
    let archives = folder.path(.archives)
    guard let watch = FolderWatch([folder.path, archives, archives + "/partial"]) else {
      emit(WorkBatch([.lost], offsets: reader.offsets))
      return
    }
    if worker == nil, !findWorker() {
      readAll(emit)
      emit(last())
      return
    }
    if let worker { watch.add(worker) }
    for await _ in watch.wakeUps {
      // Before reading: what a process wrote before its end is then read for certain.
      let isGone = worker?.hasEnded ?? true
      readAll(emit)
      measureUnpacking(watch, emit)
      // The worker ends right after it has written its last file, and with it the package lock.
      if isGone, reader.end != nil || !isWaiting(for: watch) {
        readAll(emit)
        emit(last())
        return
      }
      try? await Task.sleep(for: Self.rest)
      if Task.isCancelled { return }
    }
  }

  // Only packages that take a while are worth the looking, and only a few times a second.
  private mutating func measureUnpacking(_ watch: FolderWatch, _ emit: (WorkBatch) -> Void) {
    guard let (step, size) = reader.unpacking, size > 5_000_000 else {
      gauge = nil
      return
    }
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    watch.wakeUp(afterMilliseconds: 100)
    if gauge?.share() == nil {
      // dpkg-deb is several processes, of which the one that decompresses has the archive open.
      gauge = identity?.session().filter { $0.command == "dpkg-deb" }
        .map { UnpackGauge(process: $0.pid) }.first { $0.share() != nil }
    }
    guard let share = gauge?.share() else {
      gauge = nil
      return
    }
    if shown.step != step { shown = (step, 0) }
    guard share > shown.share, share < 1 else { return }
    shown.share = share
    emit(WorkBatch([.fraction(step: step, share)], offsets: reader.offsets))
  }

  private mutating func readAll(_ emit: (WorkBatch) -> Void) {
    while let batch = reader.next() {
      emit(batch)
      if reader.isExhausted { return }
    }
  }

  private func last() -> WorkBatch {
    let report = reader.end.map { WorkReport.ended($0) } ?? .lost
    return WorkBatch([report], offsets: reader.offsets)
  }

  /// Finds the worker that an earlier engine started; false when there is none any more.
  private mutating func findWorker() -> Bool {
    // Whoever creates `started` first decides: a worker that comes later refuses.
    if folder.create(.started, "") { return false }
    identity = folder.value(ProcessIdentity.self, of: .started)
    worker = identity?.open()
    return worker != nil || !(identity?.session() ?? []).isEmpty
  }

  /// Whether something of the job still runs without its worker; wakes up when that ends.
  private mutating func isWaiting(for watch: FolderWatch) -> Bool {
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    let rest = identity?.session() ?? []
    for process in rest where watched.insert(process).inserted {
      if let descriptor = process.open() { watch.add(descriptor) }
    }
    return !rest.isEmpty
  }
}

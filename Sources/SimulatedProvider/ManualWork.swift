package import InstallJobs
package import PackageProvider
import Synchronization

/// Gives a test the runs that an engine starts, so that the test plays their work itself.
package final class ManualWork: Sendable {
  private let runs: AsyncStream<ManualRun>
  private let continuation: AsyncStream<ManualRun>.Continuation
  private let startedRuns = Mutex<[ManualRun]>([])

  init() { (runs, continuation) = AsyncStream.makeStream(of: ManualRun.self) }

  /// All runs that were started or followed so far, in order.
  package var all: [ManualRun] { startedRuns.withLock { $0 } }

  /// Waits for the next run that the engine starts or follows.
  ///
  /// Only one caller at a time. The wait has no time-out: give the test a time limit.
  ///
  /// - Returns: The run; nil only if the task is cancelled.
  package func next() async -> ManualRun? {
    var iterator = runs.makeAsyncIterator()
    return await iterator.next()
  }

  func begin(_ work: JobWork, machine: SimulatedMachine, offsets: StreamOffsets?) -> ManualRun {
    let run = ManualRun(work, machine: machine, offsets: offsets)
    startedRuns.withLock { runs in
      // A followed run keeps the earlier run's answer to a stop.
      if offsets != nil, let earlier = runs.last(where: { $0.work.id == work.id }) {
        run.inherit(earlier)
      }
      runs.append(run)
    }
    continuation.yield(run)
    return run
  }
}

/// One job's work, played by a test.
///
/// Reports are sent at once. The functions for steps also change the simulated database, so that
/// verification finds the played state.
package final class ManualRun: JobRun {
  private struct State {
    var answer: StopAnswer?
    var record: StopRecord?
    var forced: StopAnswer?
    var requests = 0
    var step: Int?
    var isOver = false
    var hasStopped = false
    var sent: Int64 = 0
    var fetched: Set<Int> = []
  }

  package let batches: AsyncStream<WorkBatch>
  /// The work that the engine requested.
  package let work: JobWork
  /// The offsets from which a followed run continues; nil for a started run.
  package let offsets: StreamOffsets?
  private let continuation: AsyncStream<WorkBatch>.Continuation
  private let machine: SimulatedMachine
  private let state: Mutex<State>

  init(_ work: JobWork, machine: SimulatedMachine, offsets: StreamOffsets?) {
    self.work = work
    self.machine = machine
    self.offsets = offsets
    (batches, continuation) = AsyncStream.makeStream(of: WorkBatch.self)
    var state = State()
    state.sent = offsets?["hand"] ?? 0
    self.state = Mutex(state)
  }

  fileprivate func inherit(_ earlier: ManualRun) {
    let (answer, record) = earlier.state.withLock { ($0.answer, $0.record) }
    state.withLock { ($0.answer, $0.record) = (answer, record) }
  }

  // MARK: Reporting

  /// Sends reports as one batch; ``WorkReport/ended(_:)`` and `lost` end the run.
  package func send(_ reports: WorkReport...) { send(reports) }

  /// Sends reports as one batch.
  package func send(_ reports: [WorkReport]) {
    let (offset, isOver) = state.withLock { state in
      state.sent += 1
      for report in reports {
        switch report {
        case .phase(let step, let phase) where phase > .downloaded && phase < .done:
          state.step = step
        case .phase(let step, .downloaded): state.fetched.insert(step)
        case .ended(let end): (state.isOver, state.hasStopped) = (true, end.stoppedAtBoundary)
        case .lost: state.isOver = true
        default: break
        }
      }
      return (state.sent, state.isOver)
    }
    continuation.yield(WorkBatch(reports, offsets: ["hand": offset]))
    if isOver { continuation.finish() }
  }

  /// Downloads every archive, and enters the installing stage if the job installs.
  package func download() {
    send(.stage(.downloading))
    for (step, archive) in work.plan.archives.sorted(by: { $0.key < $1.key })
    where !work.finishedSteps.contains(step) {
      send(
        .phase(step: step, .downloading), .downloaded(step: step, bytes: archive.size),
        .phase(step: step, .downloaded))
    }
    if !work.request.options.isDownloadOnly { send(.stage(.installing)) }
  }

  /// Starts a step: sends its first phase and marks the package as incomplete in the database.
  package func beginStep(_ step: Int) {
    let planned = work.plan.steps[step]
    let key = planned.key
    switch planned.action {
    case .remove, .purge: send(.phase(step: step, .removing))
    case .configure:
      change(.set(key, state: "half-configured", version: planned.toVersion))
      send(.phase(step: step, .configuring))
    case .install, .upgrade, .downgrade, .reinstall:
      change(.set(key, state: "half-installed", version: planned.toVersion))
      send(.phase(step: step, .unpacking))
    }
  }

  /// Ends a step as planned.
  package func finishStep(_ step: Int) {
    let planned = work.plan.steps[step]
    switch planned.action {
    case .remove: change(.leaveConfiguration(planned.key))
    case .purge: change(.clear(planned.key))
    case .install, .upgrade, .downgrade, .reinstall, .configure:
      change(.set(planned.key, state: "installed", version: planned.toVersion))
      send(.phase(step: step, .configuring))
    }
    send(.phase(step: step, .done))
  }

  /// Performs a step from start to end.
  package func performStep(_ step: Int) {
    beginStep(step)
    finishStep(step)
  }

  /// Makes a step fail in its configuration; the package stays half configured.
  package func failStep(
    _ step: Int, _ code: InstallationError.Code = .packageFailed, exitStatus: Int32 = 1
  ) {
    let planned = work.plan.steps[step]
    change(.set(planned.key, state: "half-configured", version: planned.toVersion))
    send(
      .failed(
        step: step,
        InstallationError(
          code, "cannot configure \(planned.name)", update: planned.name,
          detail: "post-installation script, exit status \(exitStatus)")))
  }

  /// The steps whose archives were reported as downloaded.
  package var fetchedSteps: Set<Int> { state.withLock { $0.fetched } }

  /// Ends the run with the worker's exit status; nothing can be sent afterwards.
  package func end(exitStatus: Int32 = 0, stopped: Bool = false, error: InstallationError? = nil) {
    send(.ended(WorkEnd(exitStatus: exitStatus, stoppedAtBoundary: stopped, error: error)))
  }

  /// Ends the run like a worker that vanishes without an exit status.
  package func loseWorker() { send(.lost) }

  /// Performs all steps of the plan in order and ends successfully.
  package func performAllSteps() {
    download()
    for step in work.plan.steps.indices
    where !work.finishedSteps.contains(step) && !work.request.options.isDownloadOnly {
      performStep(step)
    }
    end()
  }

  /// Changes the simulated package database.
  package func change(_ change: SimulatedDatabase.Change) {
    machine.change { $0.apply(change) }
  }

  // MARK: Stopping

  /// The number of requests to stop.
  package var stopRequests: Int { state.withLock { $0.requests } }

  /// Whether a stop was requested and not withdrawn.
  package var isStopping: Bool { state.withLock { $0.answer != nil } }

  /// Sets the answer to all later requests to stop; nil restores the answer by position.
  package func setStopAnswer(with answer: StopAnswer?) { state.withLock { $0.forced = answer } }

  package func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer {
    state.withLock { state in
      state.requests += 1
      let answer = preview(state)
      switch answer {
      case .atOnce, .after:
        state.answer = answer
        let record = StopRecord(request, at: time)
        if record.replaces(state.record) { state.record = record }
      case .finalStep, .over, .impossible: break
      }
      return answer
    }
  }

  package func pendingStop() async -> PendingStop {
    state.withLock { state in
      state.answer.map { .requested(state.record, $0) } ?? (state.isOver ? .over : .none)
    }
  }

  package func withdrawStop(under gate: GateLock) async -> Bool {
    state.withLock { state in
      guard !state.isOver, case .after = state.answer else { return false }
      state.answer = nil
      state.record = nil
      return true
    }
  }

  package func previewStop() async -> StopAnswer { state.withLock { preview($0) } }

  private func preview(_ state: State) -> StopAnswer {
    if state.isOver { return state.hasStopped ? state.answer ?? .over : .over }
    if let forced = state.forced { return forced }
    if let answer = state.answer { return answer }
    guard let step = state.step else { return .atOnce }
    let last = work.plan.steps.indices.last { !work.finishedSteps.contains($0) }
    return step < last ?? 0 ? .after(step: step) : .finalStep(step)
  }
}

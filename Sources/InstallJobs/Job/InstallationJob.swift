import Synchronization

/// A job in hand: what was asked, how far it is, how it ended, and the calls to abort and clean up.
///
/// A job belongs to the engine, not to this object: dropping every reference changes nothing about
/// the work (row B26), and several objects may stand for one job. Callbacks of one job run one after
/// the other: progress any number of times, then completion exactly once, then nothing (row C12).
/// No lock is held while they run; they may call everything here but ``cleanUp()`` (rows R7, R11).
public actor InstallationJob: Identifiable {
  /// Called with the job and a snapshot when progress moved; a slow one misses intermediate
  /// snapshots, never the last (row C14).
  ///
  /// Each handle has its own. It runs in a task of the library's, on the concurrent executor.
  public typealias ProgressHandler =
    @Sendable (InstallationJob, InstallationProgress) async -> Void
  /// Called once, after verification, with `isCompleted` already true (rows A11, B4).
  ///
  /// Never, where the engine is given up or the session is closed before the job is over: ``result``
  /// throws then.
  public typealias CompletionHandler = @Sendable (InstallationJob) async -> Void

  /// The job's number in its engine.
  public nonisolated let id: JobID
  /// What is done with the packages.
  public nonisolated let operation: JobOperation
  /// Who submitted it, as the engine recorded.
  public nonisolated let requester: Requester
  /// Whether packages are brought or taken away (row A23).
  public nonisolated var kind: JobOperation.Kind { operation.kind }
  /// What was asked for, in the requester's order, doubled updates included (rows A8, B5, L5).
  ///
  /// For an upgrade of everything, what is upgraded. Indices and results belong to these.
  public nonisolated var updates: [Update] { requested.updates }
  /// Every package the job touches, dependencies included, in the order of work (row B5).
  public nonisolated let plan: [PlannedUpdate]
  /// Remarks on the plan, in their order (row V4).
  public nonisolated let warnings: [UpdateWarning]
  /// The options as they were when the job began (row A42).
  public nonisolated let options: InstallationOptions
  /// The caller's own object, handed to both callbacks untouched, never stored; nil for a job that
  /// another process began (rows A12, B1, B2).
  public nonisolated let userInfo: (any Sendable)?

  private nonisolated let requested: RequestedUpdates
  /// Whether the handle is of a session that may only look.
  private nonisolated let isReadOnly: Bool
  let backend: any InstallationBackend
  /// How the job stands; another one once the job is followed.
  private var tracker: JobTracker
  /// Whether nothing comes any more: the last snapshot was taken and the callbacks have returned.
  private var isEnded = false
  /// Who waits for the job, each until it is looked again whether the wait is over.
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  private var subscribers: [Int: Subscriber] = [:]
  private var nextSubscriber = 0
  /// Why the job cannot be followed any more.
  private var failure: InstallationError?
  /// Whether the last snapshot has come; callbacks may still be running.
  private var hasLastSnapshot = false
  /// Whether there is a callback that the end of the following has to wait for.
  private nonisolated let hasCallbacks = Atomic(false)

  /// The calls that the current task came out of, to catch a clean up from within (row B8).
  ///
  /// Tasks that a callback starts inherit them; so each call says whether it is still running.
  @TaskLocal static var calls: [CallbackCall] = []

  /// A reader of ``progressUpdates``.
  private struct Subscriber {
    let source: ProgressUpdates.Source
    /// What it was given last.
    var last: InstallationProgress
  }

  package init(
    _ snapshot: JobSnapshot, updates: [Update], userInfo: (any Sendable)?,
    backend: any InstallationBackend, isReadOnly: Bool = false
  ) {
    self.isReadOnly = isReadOnly
    id = snapshot.id
    operation = snapshot.operation
    requester = snapshot.requestedBy
    requested = RequestedUpdates(updates, of: snapshot)
    plan = snapshot.plan?.map(\.planned) ?? []
    warnings = snapshot.warnings
    options = snapshot.options
    self.userInfo = userInfo
    self.backend = backend
    tracker = JobTracker(snapshot)
  }

  // MARK: What it is doing

  /// Whether the job is over and verified (row B3), in state `completed` or `interrupted`; true before the
  /// completion callback begins.
  public var isCompleted: Bool { tracker.isFinal }

  /// Progress at this moment, also before the start, after the end and after clean up
  /// (rows B11 to B14).
  public var progress: InstallationProgress { tracker.progress(of: requested) }

  /// Progress as a sequence of its own for each caller: the current snapshot first, then the latest
  /// after each change, equal neighbours left out, ending after the final one (rows C17 to C20).
  ///
  /// A reader that is slow misses intermediate snapshots, never the last. Where the engine is given up or the
  /// session is closed the sequence throws why, as ``result`` does.
  public nonisolated var progressUpdates: ProgressUpdates {
    let (updates, source) = ProgressUpdates.make()
    Task { await subscribe(source) }
    return updates
  }

  /// The verified result; waits for the end of the job (rows A18, A19), not for its callbacks.
  ///
  /// May be awaited any number of times from any task, also in a callback of this job. Cancelling a task
  /// that waits ends its wait and does nothing to the job.
  ///
  /// - Throws: `engineUnreachable` when the engine went away for good before the job was over; `cancelled`
  ///   when the task that waits is cancelled; why the job cannot be followed.
  public var result: InstallationResult {
    get async throws(InstallationError) {
      try await wait { job in job.isCompleted || job.hasLastSnapshot }
      guard isCompleted else { throw lostEngine }
      return tracker.result(of: requested)
    }
  }

  /// The verified result, with a bound on the wait for the end of the job (rows B10, R1).
  ///
  /// - Parameters:
  ///   - limit: The longest wait.
  ///   - clock: What the wait is measured with.
  /// - Returns: The verified result.
  /// - Throws: `timedOut` when the job was not over in time, the job goes on; as ``result``.
  public func result(
    within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(InstallationError) -> InstallationResult {
    try await wait(within: limit, clock) { job in job.isCompleted || job.hasLastSnapshot }
    return try await result
  }

  // MARK: What can be asked of it

  /// Asks the job to stop, and answers at once where it will, or why it will not (rows B15 to B22).
  ///
  /// What is installed stays installed: nothing is rolled back, and there is no plan yet that would undo
  /// it (row B24). Asking again names the same package (row B20).
  ///
  /// - Throws: `notPermitted`; `journal` where nothing can be recorded; `timedOut` and `cancelled` of the
  ///   request; `engineUnreachable`: whether the abort was asked for is not known then.
  public func requestAbort() async throws(InstallationError) -> AbortDisposition {
    try refuseToAct("abort job \(id)")
    return try await backend.requestAbort(of: id)
  }

  /// Requests an abort again and again until it is answered, for a caller whose task was cancelled.
  ///
  /// Ends without an answer where the job is over, where nothing can come of it (the user may not act, the
  /// session is closed or has given the engine up), and after ten minutes.
  func requestAbortUntilAnswered() async {
    let end = ContinuousClock.now + .seconds(600)
    while !isCompleted, !hasLastSnapshot, ContinuousClock.now < end {
      do throws(InstallationError) {
        guard case .refused(let reason) = try await requestAbort(), reason.code == .undeliverable
        else { return }
      } catch {
        let isFinal = [.notPermitted, .invalidState, .protocolMismatch, .unknownJob]
          .contains(error.code)
        guard !isFinal else { return }
      }
      guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
    }
  }

  /// Cancels the abort that was requested.
  ///
  /// - Throws: `invalidState` when there is none or it has taken effect already; `busy` where the work
  ///   cannot be told at present; else as ``requestAbort()``.
  public func withdrawAbort() async throws(InstallationError) {
    try refuseToAct("cancel the abort of job \(id)")
    try await backend.withdrawAbort(of: id)
  }

  /// Pauses the job (row B28): between two packages where it works; where it waits it keeps its place in
  /// the queue, and others pass it.
  ///
  /// - Throws: `invalidState` for a job that is over, and at its last package; `busy` where the work
  ///   cannot be told at present; else as ``requestAbort()``.
  public func suspend() async throws(InstallationError) {
    try refuseToAct("pause job \(id)")
    try await backend.suspend(id)
  }

  /// Resumes the job after ``suspend()``.
  ///
  /// - Throws: `cannotResume` when the job is not paused; `busy` where the work cannot be told at present;
  ///   else as ``requestAbort()``.
  public func resume() async throws(InstallationError) {
    try refuseToAct("resume job \(id)")
    try await backend.resume(id)
  }

  /// Gives the job another place in the queue while it waits.
  ///
  /// - Throws: `invalidState` when it has begun, and where no priority is left that would do;
  ///   `invalidArgument` for a priority outside -100...100.
  public func move(to place: QueueMove) async throws(InstallationError) {
    try refuseToAct("move job \(id)")
    _ = try await backend.move(id, to: place)
  }

  /// Waits until the job is over and its completion callback has returned, then lets go of both
  /// callbacks and has the engine release archives and work files (rows B6, B7).
  ///
  /// Calling it again returns at once (row B9). A job that waits or is paused is waited for without a limit;
  /// ``cleanUp(within:clock:)`` has one.
  ///
  /// - Throws: Without waiting: `cleanUpCalledFromCallback` from a callback of this job (row B8), and
  ///   `notPermitted`; `cancelled` when the task that waits is cancelled; `engineUnreachable`;
  ///   `invalidState` when the session was closed; `timedOut` where the engine does not answer.
  public func cleanUp() async throws(InstallationError) {
    try await refuseCleanUp()
    try await wait { job in job.hasNothingLeft }
    guard isCompleted else { throw lostEngine }
    guard !tracker.isCleanedUp else { return }
    try await backend.cleanUp(id)
    tracker.isCleanedUp = true
  }

  /// The same with a bound on the wait for the end of the job and its callbacks (row B10), not on the
  /// engine's answer; a job that has ended and has no callback under way is cleaned up whatever the bound is.
  ///
  /// - Throws: `timedOut` when that was not so in time; the job and its callbacks go on.
  public func cleanUp(
    within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(InstallationError) {
    try await refuseCleanUp()
    try await wait(within: limit, clock) { job in job.hasNothingLeft }
    try await cleanUp()
  }

  // MARK: Following the engine

  /// Begins to follow the job, delivering to the callbacks; returns at once.
  ///
  /// The task that follows holds this object until the job is over, so that callbacks come although
  /// the caller dropped it; after that nothing here holds it (rows R4, R5).
  package nonisolated func follow(
    onProgress: ProgressHandler?, onCompletion: CompletionHandler?
  ) {
    hasCallbacks.store(onProgress != nil || onCompletion != nil, ordering: .releasing)
    // One change that is not read stands for all: a slow callback misses what is in between.
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let delivery = Task {
      let journal = await backend.epoch
      var last: InstallationProgress?
      for await _ in changes {
        guard let onProgress, !backend.isClosed else { continue }
        let progress = await progress
        guard progress != last else { continue }
        last = progress
        await during(CallbackCall(of: id, in: journal)) { await onProgress(self, progress) }
      }
      guard let onCompletion, await isCompleted, !backend.isClosed else { return }
      await during(CallbackCall(of: id, in: journal)) { await onCompletion(self) }
    }
    Task {
      var failure: InstallationError?
      do throws(InstallationError) {
        let snapshots = await backend.snapshots(of: id)
        var reader = snapshots.makeAsyncIterator()
        while try await reader.change() != nil {
          if let tracker = snapshots.tracker { await update(from: tracker) }
          change.yield()
        }
      } catch {
        failure = error
      }
      await endProgress(failure)
      change.finish()
      await delivery.value
      await endFollowing()
    }
  }

  private nonisolated func during(
    _ call: CallbackCall, _ callback: @Sendable () async -> Void
  ) async {
    await Self.$calls.withValue(Self.calls.filter(\.isRunning) + [call]) { await callback() }
    call.end()
  }

  private var isInCallback: Bool {
    get async {
      guard Self.calls.contains(where: { $0.job == id && $0.isRunning }) else { return false }
      let journal = await backend.epoch
      return Self.calls.contains { $0.job == id && $0.journal == journal && $0.isRunning }
    }
  }

  /// Looks how the job stands after a change.
  private func update(from tracker: JobTracker) {
    if tracker !== self.tracker {
      tracker.addPlan(of: self.tracker)
      self.tracker = tracker
    }
    if isCompleted { refresh() }
    guard !subscribers.isEmpty else { return }
    let progress = progress
    for (number, subscriber) in subscribers where subscriber.last != progress {
      subscribers[number]?.last = progress
      subscriber.source.yield(progress)
    }
  }

  private func endProgress(_ failure: InstallationError?) {
    hasLastSnapshot = true
    self.failure = failure
    for subscriber in subscribers.values {
      subscriber.source.finish(throwing: isCompleted ? nil : lostEngine)
    }
    subscribers = [:]
    refresh()
  }

  private func endFollowing() {
    isEnded = true
    refresh()
  }

  private func refresh() {
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
  }

  private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }

  private func subscribe(_ source: ProgressUpdates.Source) {
    let progress = progress
    source.yield(progress)
    if progress.state.isFinal || hasLastSnapshot {
      source.finish(throwing: progress.state.isFinal ? nil : lostEngine)
      return
    }
    let number = nextSubscriber
    nextSubscriber += 1
    subscribers[number] = Subscriber(source: source, last: progress)
    source.onEnd { [weak self] in Task { await self?.unsubscribe(number) } }
  }

  private func unsubscribe(_ number: Int) { subscribers[number] = nil }

  /// Whether there is nothing to wait for any more: only a callback may take its time after the end
  /// of the job, and an engine that says no more after that holds nobody up.
  private var hasNothingLeft: Bool {
    isEnded || (isCompleted && !hasCallbacks.load(ordering: .acquiring))
  }

  /// Waits until something is so.
  ///
  /// - Throws: `cancelled` when the task is cancelled before.
  private func wait(
    until isSo: @Sendable (isolated InstallationJob) -> Bool
  ) async throws(InstallationError) {
    while !isSo(self) {
      guard !Task.isCancelled else { throw cancelledWait }
      lastWaiter += 1
      let number = lastWaiter
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // A task that was cancelled before would not be woken any more.
          if Task.isCancelled { continuation.resume() } else { waiting[number] = continuation }
        }
      } onCancel: {
        Task { await self.wake(number) }
      }
    }
  }

  /// The same with a bound; returns at once where the condition holds already, however short the limit.
  private func wait(
    within limit: Duration, _ clock: any Clock<Duration>,
    until isSo: @escaping @Sendable (isolated InstallationJob) -> Bool
  ) async throws(InstallationError) {
    guard !isSo(self) else { return }
    let isInTime = await withTaskGroup(of: Bool.self) { group in
      group.addTask { (try? await self.wait(until: isSo)) != nil }
      group.addTask {
        try? await SleepQueue.shared.sleep(for: limit, by: clock)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard !isInTime, !isSo(self) else { return }
    throw Task.isCancelled ? cancelledWait : timedOut(limit)
  }

  private func refuseToAct(_ what: String) throws(InstallationError) {
    guard isReadOnly else { return }
    throw UpdateSession.readOnly(what)
  }

  /// Throws what can be known before anything is waited for.
  private func refuseCleanUp() async throws(InstallationError) {
    try refuseToAct("clean up job \(id)")
    guard await !isInCallback else {
      throw InstallationError(
        .cleanUpCalledFromCallback, "clean up of job \(id) was called from its own callback",
        class: .fatal, hint: "call cleanUp() after the callback has returned")
    }
    guard !backend.mayAct, !isCompleted else { return }
    do throws(InstallationError) {
      // The engine refuses in its own words; a right that was given meanwhile counts.
      try await backend.cleanUp(id)
    } catch {
      guard error.code == .invalidState else { throw error }
    }
  }

  private func timedOut(_ limit: Duration) -> InstallationError {
    InstallationError(
      .timedOut,
      isCompleted
        ? "job \(id) is over, and its callback had not returned within \(limit)"
        : "job \(id) was not over within \(limit)", class: .transient,
      hint: isCompleted ? "wait longer" : "wait longer, or abort the job")
  }

  private var cancelledWait: InstallationError {
    InstallationError(
      .cancelled, "the wait for job \(id) was cancelled; the job goes on", class: .transient,
      hint: "wait again, or abort the job")
  }

  /// Why there is no result.
  private var lostEngine: InstallationError {
    failure
      ?? InstallationError(
        .engineUnreachable, "the engine went away before job \(id) was over", class: .transient,
        hint: "connect again and ask for the job by its number; its work goes on")
  }
}

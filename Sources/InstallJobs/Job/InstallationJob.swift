import Synchronization

/// A handle on a job: its request, progress and result, and the calls to abort and to clean up.
///
/// A job belongs to the engine, not to this object. Releasing all references does not affect the
/// work (row B26), and several objects may represent one job. Callbacks of one object run one after
/// the other: progress any number of times, then completion exactly once, then none (row C12). No
/// lock is held while they run; they may call every function of the job except ``cleanUp()`` (rows
/// R7, R11).
public actor InstallationJob: Identifiable {
  /// A callback with the job and a snapshot of its progress, called when the progress changed.
  ///
  /// A slow callback misses intermediate snapshots, but never the last (row C14). Each object has
  /// its own callback. It runs in a task of the library on the concurrent executor.
  public typealias ProgressHandler =
    @Sendable (InstallationJob, InstallationProgress) async -> Void
  /// A callback that is called once, after verification, with `isCompleted` already true (rows A11,
  /// B4).
  ///
  /// It is never called if the connection to the engine is given up or the session is closed before
  /// the job is over; ``result`` throws then.
  public typealias CompletionHandler = @Sendable (InstallationJob) async -> Void

  /// The job's number in its engine.
  public nonisolated let id: JobID
  /// The operation on the packages.
  public nonisolated let operation: JobOperation
  /// The user who submitted the job, as recorded by the engine.
  public nonisolated let requester: Requester
  /// Whether the job installs or uninstalls packages (row A23).
  public nonisolated var kind: JobOperation.Kind { operation.kind }
  /// The requested updates in the requester's order, including duplicates (rows A8, B5, L5).
  ///
  /// For an upgrade of everything these are the upgraded packages. Indices and results refer to
  /// this list.
  public nonisolated var updates: [Update] { requested.updates }
  /// Every package the job touches, dependencies included, in the order of work (row B5).
  public nonisolated let plan: [PlannedUpdate]
  /// Warnings about the plan, in order (row V4).
  public nonisolated let warnings: [UpdateWarning]
  /// The options with which the job was submitted (row A42).
  public nonisolated let options: InstallationOptions
  /// The caller's own object, available to both callbacks and never stored.
  ///
  /// Nil for a job that another process started (rows A12, B1, B2).
  public nonisolated let userInfo: (any Sendable)?

  private nonisolated let requested: RequestedUpdates
  /// Whether the object belongs to a read-only session.
  nonisolated let isReadOnly: Bool
  let backend: any InstallationBackend
  /// The state of the job; replaced by the tracker of the snapshots once the job is followed.
  var tracker: JobTracker
  /// Whether following has ended: the last snapshot was received and the callbacks have returned.
  var isEnded = false
  /// Tasks that wait for a condition; each is resumed to check its condition again.
  var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  var lastWaiter = 0
  private var subscribers: [Int: Subscriber] = [:]
  private var nextSubscriber = 0
  /// The error because of which the job can no longer be followed.
  private var failure: InstallationError?
  /// Whether the last snapshot was received; callbacks may still be running.
  private var hasLastSnapshot = false
  /// Whether there is a callback whose end ``cleanUp()`` must wait for.
  nonisolated let hasCallbacks = Atomic(false)

  /// The callback calls in which the current task runs, to detect a clean up from within a callback
  /// (row B8).
  ///
  /// Tasks that a callback starts inherit the list, so each call also records whether it is still
  /// running.
  @TaskLocal static var calls: [CallbackCall] = []

  /// A reader of ``progressUpdates``.
  private struct Subscriber {
    let source: ProgressUpdates.Source
    /// The value that was sent last.
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

  // MARK: State and result

  /// Whether the job is over and verified (row B3), in state `completed` or `interrupted`.
  ///
  /// Becomes true before the completion callback starts.
  public var isCompleted: Bool { tracker.isFinal }

  /// The current progress; valid also before the start, after the end and after the clean up (rows
  /// B11 to B14).
  public var progress: InstallationProgress { tracker.progress(of: requested) }

  /// The progress as a sequence, separate for each caller (rows C17 to C20).
  ///
  /// The current value comes first, then the latest value after each change, without equal
  /// neighbours; the sequence ends after the final value. A slow reader misses intermediate values,
  /// but never the last. If the connection to the engine is given up or the session is closed, the
  /// sequence throws the same error as ``result``.
  public nonisolated var progressUpdates: ProgressUpdates {
    let (updates, source) = ProgressUpdates.make()
    Task { await subscribe(source) }
    return updates
  }

  /// The verified result; waits for the end of the job (rows A18, A19), not for its callbacks.
  ///
  /// Any task may read it any number of times, also in a callback of this job. Cancelling a waiting
  /// task ends its wait and does not affect the job.
  ///
  /// - Throws: `engineUnreachable` if the connection to the engine is lost for good before the job
  ///   is over; `cancelled` if the waiting task is cancelled; the error because of which the job
  ///   cannot be followed.
  public var result: InstallationResult {
    get async throws(InstallationError) {
      try await wait { job in job.isCompleted || job.hasLastSnapshot }
      guard isCompleted else { throw missingResultError }
      return tracker.result(of: requested)
    }
  }

  /// Returns the verified result, with a time-out for the end of the job (rows B10, R1).
  ///
  /// - Parameters:
  ///   - limit: The time-out.
  ///   - clock: The clock that measures the wait.
  /// - Returns: The verified result.
  /// - Throws: `timedOut` if the job is not over in time (the job continues); else the errors of
  ///   ``result``.
  public func result(
    within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(InstallationError) -> InstallationResult {
    try await wait(within: limit, clock) { job in job.isCompleted || job.hasLastSnapshot }
    return try await result
  }

  // MARK: Requests

  /// Requests an abort and returns at once after which package the job will stop, or why it will
  /// not (rows B15 to B22).
  ///
  /// Installed packages stay installed: nothing is rolled back, and no function undoes a job yet
  /// (row B24). A repeated request returns the same package (row B20).
  ///
  /// - Throws: `notPermitted`; `journal` if the request cannot be recorded; `timedOut` and
  ///   `cancelled` of the request; `engineUnreachable`. After `timedOut`, `cancelled` and
  ///   `engineUnreachable` the abort may have been requested or not.
  public func requestAbort() async throws(InstallationError) -> AbortDisposition {
    try refuseToAct("abort job \(id)")
    return try await backend.requestAbort(of: id)
  }

  /// Repeats the request to abort each second until it is answered; for a caller whose task was
  /// cancelled.
  ///
  /// Ends without an answer when the job is over, when the request cannot succeed (the user may not
  /// act, or the session is closed or has given up the engine), and after ten minutes.
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

  /// Cancels the requested abort.
  ///
  /// - Throws: `invalidState` if there is no abort or it has already taken effect; `busy` if the
  ///   job's worker cannot be reached at the moment; else the errors of ``requestAbort()``.
  public func withdrawAbort() async throws(InstallationError) {
    try refuseToAct("cancel the abort of job \(id)")
    try await backend.withdrawAbort(of: id)
  }

  /// Pauses the job (row B28).
  ///
  /// A working job pauses between two packages. A waiting job keeps its place in the queue, and
  /// later jobs start before it.
  ///
  /// - Throws: `invalidState` for a job that is over or at its last package; `busy` if the job's
  ///   worker cannot be reached at the moment; else the errors of ``requestAbort()``.
  public func suspend() async throws(InstallationError) {
    try refuseToAct("pause job \(id)")
    try await backend.suspend(id)
  }

  /// Resumes the job after ``suspend()``.
  ///
  /// - Throws: `cannotResume` if the job is not paused; `busy` if the job's worker cannot be
  ///   reached at the moment; else the errors of ``requestAbort()``.
  public func resume() async throws(InstallationError) {
    try refuseToAct("resume job \(id)")
    try await backend.resume(id)
  }

  /// Moves the job to another place in the queue while it waits.
  ///
  /// - Throws: `invalidState` if the job has started, or if no free priority leads to that place;
  ///   `invalidArgument` for a priority outside -100...100.
  public func move(to place: QueueMove) async throws(InstallationError) {
    try refuseToAct("move job \(id)")
    _ = try await backend.move(id, to: place)
  }

  // MARK: Following the engine

  /// Starts following the job and calling the callbacks; returns at once.
  ///
  /// The following task keeps this object alive until the job is over, so that callbacks run even
  /// if the caller releases the object; after that, nothing in the library references it (rows R4,
  /// R5).
  package nonisolated func follow(
    onProgress: ProgressHandler?, onCompletion: CompletionHandler?
  ) {
    hasCallbacks.store(onProgress != nil || onCompletion != nil, ordering: .releasing)
    // Unread changes are merged into one: a slow callback misses the snapshots in between.
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
        await runCallback(CallbackCall(of: id, in: journal)) { await onProgress(self, progress) }
      }
      guard let onCompletion, await isCompleted, !backend.isClosed else { return }
      await runCallback(CallbackCall(of: id, in: journal)) { await onCompletion(self) }
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

  private nonisolated func runCallback(
    _ call: CallbackCall, _ callback: @Sendable () async -> Void
  ) async {
    await Self.$calls.withValue(Self.calls.filter(\.isRunning) + [call]) { await callback() }
    call.end()
  }

  var isInCallback: Bool {
    get async {
      guard Self.calls.contains(where: { $0.job == id && $0.isRunning }) else { return false }
      let journal = await backend.epoch
      return Self.calls.contains { $0.job == id && $0.journal == journal && $0.isRunning }
    }
  }

  /// Updates the object and the readers of progress after a change.
  private func update(from tracker: JobTracker) {
    if tracker !== self.tracker {
      tracker.addPlan(of: self.tracker)
      self.tracker = tracker
    }
    if isCompleted { resumeWaiters() }
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
      subscriber.source.finish(throwing: isCompleted ? nil : missingResultError)
    }
    subscribers = [:]
    resumeWaiters()
  }

  private func endFollowing() {
    isEnded = true
    resumeWaiters()
  }

  private func resumeWaiters() {
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
  }

  private func subscribe(_ source: ProgressUpdates.Source) {
    let progress = progress
    source.yield(progress)
    if progress.state.isFinal || hasLastSnapshot {
      source.finish(throwing: progress.state.isFinal ? nil : missingResultError)
      return
    }
    let number = nextSubscriber
    nextSubscriber += 1
    subscribers[number] = Subscriber(source: source, last: progress)
    source.onEnd { [weak self] in Task { await self?.unsubscribe(number) } }
  }

  private func unsubscribe(_ number: Int) { subscribers[number] = nil }

  func refuseToAct(_ what: String) throws(InstallationError) {
    guard isReadOnly else { return }
    throw UpdateSession.readOnly(what)
  }

  /// The error if there is no result.
  var missingResultError: InstallationError {
    failure
      ?? InstallationError(
        .engineUnreachable, "the engine went away before job \(id) was over", class: .transient,
        hint: "connect again and ask for the job by its number; its work goes on")
  }
}

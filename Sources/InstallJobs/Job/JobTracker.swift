internal import Synchronization

/// Keeps the current snapshot of a job, shared by the task that follows it and its readers.
///
/// Events change the snapshot in place, so that an event of a job with many updates costs no more
/// than an event of a small job. After a reader took the whole snapshot, the next event copies its
/// lists. Progress values share all unchanged parts with the tracker.
final class JobTracker: Sendable {
  fileprivate struct State {
    var snapshot: JobSnapshot
    /// The kept results for the requested updates, which events change in place.
    ///
    /// Nil until progress is first read, and after the snapshot was replaced or the job completed;
    /// the next read computes them again.
    var results: ResultList?
    /// Number of changes so far.
    var version = 0
  }

  private let state: Mutex<State>

  /// - Parameter snapshot: The current snapshot of the job.
  init(_ snapshot: JobSnapshot) { state = Mutex(State(snapshot: snapshot)) }

  // MARK: Following

  /// Replaces the snapshot.
  ///
  /// Keeps the known plan if the new snapshot has none, and the known progress if the new one is
  /// behind: an engine that was killed had not recorded the latest progress.
  ///
  /// - Returns: Whether the job is over.
  @discardableResult
  func replace(with snapshot: JobSnapshot) -> Bool {
    state.withLock { state in
      let known = state.snapshot
      state.snapshot = snapshot
      state.snapshot.keepPlan(of: known)
      state.snapshot.keepProgress(of: known)
      state.results = nil
      state.version += 1
      return snapshot.state.isFinal
    }
  }

  /// Applies an event to the snapshot.
  ///
  /// - Returns: Whether the job is over.
  @discardableResult
  func apply(_ event: JobEvent) -> Bool {
    state.withLock { state in
      state.snapshot.apply(event)
      state.updateResults(after: event.payload)
      state.version += 1
      return state.snapshot.state.isFinal
    }
  }

  /// Copies the plan from another tracker of the same job if this one has none.
  func addPlan(of other: JobTracker) {
    let known = other.state.withLock { $0.snapshot }
    state.withLock { $0.snapshot.keepPlan(of: known) }
  }

  // MARK: Reading

  /// The current snapshot and the number of changes so far.
  var current: (snapshot: JobSnapshot, version: Int) {
    state.withLock { ($0.snapshot, $0.version) }
  }

  /// Whether the job is over.
  var isFinal: Bool { state.withLock { $0.snapshot.state.isFinal } }

  /// Whether the job was cleaned up.
  var isCleanedUp: Bool {
    get { state.withLock { $0.snapshot.isCleanedUp } }
    set { state.withLock { $0.snapshot.isCleanedUp = newValue } }
  }

  /// Returns the current progress.
  ///
  /// - Parameter updates: The requested updates; the same in every call.
  /// - Returns: A value that shares unchanged parts with the previous one.
  func progress(of updates: RequestedUpdates) -> InstallationProgress {
    state.withLock { state in
      let results = state.results ?? updates.results(in: state.snapshot)
      state.results = results
      return InstallationProgress(state.snapshot, of: updates, results: results)
    }
  }

  /// Returns the result of the job, from the current snapshot.
  func result(of updates: RequestedUpdates) -> InstallationResult {
    InstallationResult(current.snapshot, of: updates)
  }
}

extension JobTracker.State {
  /// Updates the results after an event that was applied to the snapshot.
  fileprivate mutating func updateResults(after payload: JobEvent.Payload) {
    guard results != nil else { return }
    switch payload {
    case .update(let index, let status):
      for position in snapshot.updatesServed(by: index) {
        results?.set(UpdateResult(status), atPosition: position)
      }
    case .submitted, .completed: results = nil
    case .state, .progress, .abortRequested, .abortWithdrawn, .log, .cleanedUp,
      .verifiedAfterReboot,
      .engine:
      break
    }
  }
}

internal import Synchronization

/// How a job stands, kept by those who follow it and read by those who look at it.
///
/// Events change the tracker's snapshot in place, so that an event of a job with many updates costs no
/// more than one of a small job. A reader that takes the whole snapshot has its lists copied at the next
/// event; progress shares with the tracker what has not changed.
final class JobTracker: Sendable {
  fileprivate struct State {
    var snapshot: JobSnapshot
    /// The results so far, for the requested updates for which progress was asked; nil before that, and
    /// after a change of more than one update.
    var results: ResultList?
    /// Counts changes.
    var version = 0
  }

  private let state: Mutex<State>

  /// - Parameter snapshot: How the job stands.
  init(_ snapshot: JobSnapshot) { state = Mutex(State(snapshot: snapshot)) }

  // MARK: Following

  /// Replaces how the job stands.
  ///
  /// The known plan is kept where the new snapshot has none, and progress where
  /// the new one is behind: an engine that was killed has not recorded the last of it.
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

  /// Applies an event to how the job stands.
  ///
  /// - Returns: Whether the job is over.
  @discardableResult
  func apply(_ event: JobEvent) -> Bool {
    state.withLock { state in
      state.snapshot.apply(event)
      state.renewResults(after: event.payload)
      state.version += 1
      return state.snapshot.state.isFinal
    }
  }

  /// Takes the plan of another tracker of the job where this one has none.
  func addPlan(of other: JobTracker) {
    let known = other.state.withLock { $0.snapshot }
    state.withLock { $0.snapshot.keepPlan(of: known) }
  }

  // MARK: Looking

  /// How the job stands, and the count of changes up to then.
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

  /// Returns progress at this moment.
  ///
  /// - Parameter updates: What was asked for; the same for every call.
  /// - Returns: A value that shares what has not changed with the one before.
  func progress(of updates: RequestedUpdates) -> InstallationProgress {
    state.withLock { state in
      let results = state.results ?? updates.results(in: state.snapshot)
      state.results = results
      return InstallationProgress(state.snapshot, of: updates, results: results)
    }
  }

  /// The result of the job as it stands.
  func result(of updates: RequestedUpdates) -> InstallationResult {
    InstallationResult(current.snapshot, of: updates)
  }
}

extension JobTracker.State {
  /// Brings the results to where they stand after an event that the snapshot contains.
  fileprivate mutating func renewResults(after payload: JobEvent.Payload) {
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

import InstallJobs
import PackageProvider
import Synchronization

/// The simulated machine shared by a provider and its runs: scenario, database, state on disk.
///
/// A change is written to disk at once if the last write is at least ``minimumWriteInterval`` ago, else after that
/// time: writing the whole machine at every change would cost far more than the simulated work. For
/// a machine with very many packages the interval is ten times the duration of a write, so that
/// writing takes a tenth of the time. An engine that is killed loses the changes of at most one
/// interval. An engine that ends properly loses nothing, see ``save()``.
final class SimulatedMachine: Sendable {
  /// The minimum interval between two writes.
  static let minimumWriteInterval = Duration.milliseconds(100)

  private struct State {
    var database: SimulatedDatabase
    /// The database at the last write, or at the start.
    var written: SimulatedDatabase
    /// When the last write started.
    var writtenAt: ContinuousClock.Instant?
    /// The duration of the last write.
    var writeDuration = Duration.zero
    /// Whether a write is scheduled.
    var isWriteDue = false
  }

  /// The index of the scenario's packages.
  let index: ScenarioIndex
  var scenario: Scenario { index.scenario }
  private let stateFolder: String?
  private let state: Mutex<State>
  /// Allows one write at a time, so that an older state never replaces a newer one.
  private let writing = Mutex(())

  /// Loads the machine from a state folder if it belongs to this scenario; else creates a new one.
  ///
  /// - Throws: `badRoot` if the stored machine cannot be read.
  init(
    _ scenario: Scenario, stateFolder: String?, bootID: String? = nil
  ) throws(InstallationError) {
    index = ScenarioIndex(scenario)
    self.stateFolder = stateFolder
    var kept: SimulatedDatabase?
    if let stateFolder { kept = try SimulatedDatabase.read(inState: stateFolder) }
    let digest = scenario.machineDigest
    if let found = kept {
      let isAnother =
        (found.scenario ?? scenario.name) != scenario.name || (found.digest ?? digest) != digest
      if isAnother { kept = nil }
    }
    var found = kept ?? SimulatedDatabase(scenario)
    // The machine was restarted since, so no package asks for a restart any more.
    if let bootID, let last = found.bootID, last != bootID { found.rebootPackages = [] }
    found.bootID = bootID
    found.scenario = scenario.name
    found.digest = digest
    state = Mutex(State(database: found, written: found))
  }

  init(_ scenario: Scenario) {
    index = ScenarioIndex(scenario)
    stateFolder = nil
    let new = SimulatedDatabase(scenario)
    state = Mutex(State(database: new, written: new))
  }

  deinit { save() }

  /// The current database.
  var currentDatabase: SimulatedDatabase { state.withLock { $0.database } }

  /// Reads the database without copying it.
  func withDatabase<Value: Sendable>(_ body: (SimulatedDatabase) -> Value) -> Value {
    state.withLock { body($0.database) }
  }

  /// Changes the database and schedules a write if there is a state folder.
  @discardableResult
  func change<Value: Sendable>(_ body: (inout SimulatedDatabase) -> Value) -> Value {
    let value = state.withLock { body(&$0.database) }
    scheduleWrite()
    return value
  }

  /// Records the progress of a job; schedules a write only if something else changed or the job is
  /// over.
  func advance(
    _ job: JobID, to position: Int, _ changes: [SimulatedDatabase.Change], end: WorkEnd?,
    isLost: Bool
  ) {
    let isOver = end != nil || isLost
    state.withLock { state in
      for change in changes { state.database.apply(change) }
      state.database.works[job.rawValue]?.position = position
      state.database.works[job.rawValue]?.end = end
      state.database.works[job.rawValue]?.isLost = isLost
      if isOver { state.database.removeEndedWorks(beyond: 200) }
    }
    if isOver || !changes.isEmpty { scheduleWrite() }
  }

  /// Writes the database now if it has changed since the last write.
  func save() {
    guard let stateFolder else { return }
    writing.withLock { _ in
      let present = state.withLock { state in
        state.isWriteDue = false
        guard state.database != state.written else { return nil as SimulatedDatabase? }
        (state.written, state.writtenAt) = (state.database, .now)
        return state.database
      }
      guard let present else { return }
      let cost = ContinuousClock().measure {
        // Ignored: a missing state folder must not stop a demonstration.
        try? present.write(inState: stateFolder)
      }
      state.withLock { $0.writeDuration = cost }
    }
  }

  /// Writes the database now, or schedules a write if the last one is too recent.
  private func scheduleWrite() {
    guard stateFolder != nil else { return }
    let wait = state.withLock { state -> Duration? in
      guard !state.isWriteDue else { return nil }
      state.isWriteDue = true
      let next = state.writtenAt.map {
        $0.advanced(by: max(Self.minimumWriteInterval, state.writeDuration * 10))
      }
      return next.map { max(.zero, ContinuousClock.now.duration(to: $0)) } ?? .zero
    }
    guard let wait else { return }
    guard wait > .zero else { return save() }
    Task { [weak self] in
      try? await Task.sleep(for: wait)
      self?.save()
    }
  }
}

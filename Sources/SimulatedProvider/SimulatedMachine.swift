import InstallJobs
import PackageProvider
import Synchronization

/// The one simulated machine behind a provider and its runs: scenario, database, state on disk.
///
/// A change is on disk at once where none was written in the last ``pace``, else after that time:
/// writing the whole machine at every change would cost far more than the work that it plays. For a
/// machine of very many packages the time is longer, so that a tenth of it is spent on writing. An
/// engine that is killed so loses at most that time of a simulated machine, and one that ends in order
/// loses nothing, see ``save()``.
final class SimulatedMachine: Sendable {
  /// The least time between two writes.
  static let pace = Duration.milliseconds(100)

  private struct State {
    var database: SimulatedDatabase
    /// What was written last, or what the machine began with.
    var written: SimulatedDatabase
    /// When the last write began.
    var writtenAt: ContinuousClock.Instant?
    /// How long it took.
    var cost = Duration.zero
    /// Whether a write is to come.
    var isWriteDue = false
  }

  /// Looks packages of the scenario up.
  let index: ScenarioIndex
  var scenario: Scenario { index.scenario }
  private let stateFolder: String?
  private let state: Mutex<State>
  /// One write at a time, so that an older state never replaces a newer one.
  private let writing = Mutex(())

  /// The machine that a state folder keeps, where it is one of this scenario; else a new one.
  ///
  /// - Throws: `badRoot` for a kept machine that cannot be read.
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
    // The machine was restarted since: what asked for it has it.
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

  /// The database as it is now.
  var present: SimulatedDatabase { state.withLock { $0.database } }

  /// Looks at the database without copying it.
  func withDatabase<Value: Sendable>(_ body: (SimulatedDatabase) -> Value) -> Value {
    state.withLock { body($0.database) }
  }

  /// Changes the database; it is on disk within ``pace``, where there is a state folder.
  @discardableResult
  func change<Value: Sendable>(_ body: (inout SimulatedDatabase) -> Value) -> Value {
    let value = state.withLock { body(&$0.database) }
    keep()
    return value
  }

  /// Notes how far a job is, to be written only where something else changed with it.
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
      if isOver { state.database.forgetWorks(beyond: 200) }
    }
    if isOver || !changes.isEmpty { keep() }
  }

  /// Writes the database now, where it has changed since it was written.
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
        // A state folder that went away must not stop a demonstration.
        try? present.write(inState: stateFolder)
      }
      state.withLock { $0.cost = cost }
    }
  }

  /// Has what was changed written: now, or once the last write is long enough ago.
  private func keep() {
    guard stateFolder != nil else { return }
    let wait = state.withLock { state -> Duration? in
      guard !state.isWriteDue else { return nil }
      state.isWriteDue = true
      let next = state.writtenAt.map { $0.advanced(by: max(Self.pace, state.cost * 10)) }
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

import InstallJobs
import Synchronization

/// The one simulated machine behind a provider and its runs: scenario, database, state on disk.
final class SimulatedMachine: Sendable {
  let scenario: Scenario
  private let stateFolder: String?
  private let database: Mutex<SimulatedDatabase>

  /// The machine that a state folder keeps, where it is one of this scenario; else a new one.
  ///
  /// - Throws: `badRoot` for a kept machine that cannot be read.
  init(
    _ scenario: Scenario, stateFolder: String?, bootID: String? = nil
  ) throws(InstallationError) {
    self.scenario = scenario
    self.stateFolder = stateFolder
    var kept: SimulatedDatabase?
    if let stateFolder { kept = try SimulatedDatabase.read(inState: stateFolder) }
    if let name = kept?.scenario, name != scenario.name { kept = nil }
    var found = kept ?? SimulatedDatabase(scenario)
    // The machine was restarted since: what asked for it has it.
    if let bootID, let last = found.bootID, last != bootID { found.rebootPackages = [] }
    found.bootID = bootID
    found.scenario = scenario.name
    database = Mutex(found)
  }

  init(_ scenario: Scenario) {
    self.scenario = scenario
    stateFolder = nil
    database = Mutex(SimulatedDatabase(scenario))
  }

  /// The database as it is now.
  var present: SimulatedDatabase { database.withLock { $0 } }

  /// Looks at the database without copying it.
  func look<Value: Sendable>(_ body: (SimulatedDatabase) -> Value) -> Value {
    database.withLock { body($0) }
  }

  /// Changes the database; it is on disk when this returns, where there is a state folder.
  @discardableResult
  func change<Value: Sendable>(_ body: (inout SimulatedDatabase) -> Value) -> Value {
    database.withLock { database in
      let value = body(&database)
      // A state folder that went away must not stop a demonstration.
      if let stateFolder { try? database.write(inState: stateFolder) }
      return value
    }
  }

  /// Notes how far a job is, on disk only where something else changed with it.
  func advance(
    _ job: JobID, to position: Int, _ changes: [SimulatedDatabase.Change], end: WorkEnd?,
    isLost: Bool
  ) {
    func note(_ database: inout SimulatedDatabase) {
      for change in changes { database.apply(change) }
      database.works[job.rawValue]?.position = position
      database.works[job.rawValue]?.end = end
      database.works[job.rawValue]?.isLost = isLost
    }
    if changes.isEmpty, end == nil, !isLost {
      database.withLock { note(&$0) }
    } else {
      change { note(&$0) }
    }
  }
}

import FoundationEssentials
package import InstallJobs
package import PackageProvider
import Synchronization

/// A package provider that plays a scenario and changes nothing on the real machine.
///
/// The simulated machine lives as long as the provider, or is stored in a state folder, from which
/// a later provider loads it. If the process is killed, the stored state is at most a tenth of a
/// second old, or older if there are so many packages that writing them takes long.
package final class SimulatedProvider: PackageProvider {
  package let name = "simulated"
  private let machine: SimulatedMachine
  private let clock: any Clock<Duration>
  private let manualWork: ManualWork?
  private let runs = Mutex<[JobID: SimulatedRun]>([:])

  /// Creates a provider that plays `scenario`.
  ///
  /// - Parameters:
  ///   - scenario: The scenario to play.
  ///   - clock: The clock for all durations.
  ///   - stateFolder: The folder in which the simulated machine is stored; nil keeps it in memory.
  ///     A stored machine of another scenario, or of one with other packages, durations or seed, is
  ///     replaced by a new machine.
  ///   - bootID: The current boot id; under a new boot id no package asks for a restart any more.
  /// - Throws: `badRoot` if the stored machine cannot be read.
  package convenience init(
    _ scenario: Scenario, clock: any Clock<Duration> = ContinuousClock(),
    stateFolder: String? = nil, bootID: String? = nil
  ) throws(InstallationError) {
    self.init(
      machine: try SimulatedMachine(scenario, stateFolder: stateFolder, bootID: bootID),
      clock: clock, hand: nil)
  }

  /// Creates a provider that plays `scenario` in memory.
  package convenience init(
    playing scenario: Scenario, clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(machine: SimulatedMachine(scenario), clock: clock, hand: nil)
  }

  /// Creates a provider that plans from `scenario`, while the caller plays the work itself.
  package static func manual(
    _ scenario: Scenario
  ) -> (provider: SimulatedProvider, work: ManualWork) {
    let hand = ManualWork()
    let provider = SimulatedProvider(
      machine: SimulatedMachine(scenario), clock: ContinuousClock(), hand: hand)
    return (provider, hand)
  }

  private init(machine: SimulatedMachine, clock: any Clock<Duration>, hand: ManualWork?) {
    self.machine = machine
    self.clock = clock
    self.manualWork = hand
  }

  /// The scenario's name.
  package var root: String { machine.scenario.name }

  /// Writes the current state of the simulated machine to the state folder.
  ///
  /// Call it before the process ends: the changes of the last tenth of a second may not be written
  /// yet.
  package func save() { machine.save() }

  /// The scenario of the provider.
  package var scenario: Scenario { machine.scenario }

  /// The current simulated package database.
  package var database: SimulatedDatabase { machine.currentDatabase }

  package func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan {
    let database = machine.currentDatabase
    return try SimulatedPlanner.plan(
      request, index: machine.index,
      database: pending.isEmpty ? database : database.expected(after: pending))
  }

  package func start(_ work: JobWork) async throws(InstallationError) -> any JobRun {
    try checkFingerprint(of: work)
    let record = machine.change { database in
      let record = SimulatedDatabase.Work(database.circumstances(of: work.plan))
      database.works[work.id.rawValue] = record
      return record
    }
    if let manualWork { return manualWork.begin(work, machine: machine, offsets: nil) }
    return run(work, record: record, reported: 0)
  }

  package func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun {
    if let manualWork { return manualWork.begin(work, machine: machine, offsets: offsets) }
    runs.withLock { $0[work.id] }?.abandon()
    let record = machine.withDatabase { $0.works[work.id.rawValue] }
    guard let record, !record.isLost, record.end != nil || machine.scenario.survivesRestart else {
      return LostRun()
    }
    let reported = offsets[SimulatedRun.offsetKey].map { Int(clamping: $0) } ?? 0
    return run(work, record: record, reported: reported)
  }

  package func verify(_ plan: JobPlan) async -> Verification {
    machine.withDatabase { $0.verify(plan) }
  }

  /// Checks the archives of a job against the acts that its script has played; a simulated archive
  /// is always valid.
  package func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding] {
    var fetched: Set<Int> = []
    if let manualWork {
      for run in manualWork.all where run.work.id == work.id { fetched.formUnion(run.fetchedSteps) }
    } else if let record = machine.withDatabase({ $0.works[work.id.rawValue] }) {
      let script = SimulatedScript(
        work, index: machine.index, circumstances: record.circumstances)
      for act in script.acts.prefix(record.position) {
        for case .phase(let step, .downloaded) in act.reports { fetched.insert(step) }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: work.plan.archives.keys.map { step in
        (step, fetched.contains(step) ? .present : .absent(nil))
      })
  }

  package func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate] {
    SimulatedPlanner.upgradable(machine.scenario, machine.currentDatabase)
  }

  package func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult {
    let (index, packages) = (machine.index, machine.scenario.packages)
    return machine.withDatabase { database in
      let found = packages.map { package in
        database.details(of: package, isNewest: index.newest(key: package.key) == package)
      }.filter { details in
        criteria.includes(name: details.name) && criteria.includes(details)
          && criteria.hasWords(of: details)
          && (criteria.includesAllVersions || details.isCandidate)
      }
      return criteria.answer(found.sorted { $0.name < $1.name })
    }
  }

  /// Refuses: the simulation has no marks.
  package func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError) {
    throw InstallationError(
      .notApplicable, "cannot mark packages: the simulation has no marks", class: .fatal)
  }

  /// Does nothing: the scenario contains its index.
  package func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError) {}

  package func rebootReasons() async -> RebootMarker {
    let packages = machine.withDatabase { $0.rebootPackages }
    return RebootMarker(isSet: !packages.isEmpty, packages: packages)
  }

  package func lockHolder() async -> LockHolder? {
    guard let lock = machine.scenario.lock else { return nil }
    return lock.everyJob || !machine.withDatabase { $0.circumstances.lockPassed }
      ? lock.holder : nil
  }

  /// Checks the simulated packages and the pending restart, like those of a real root.
  package func checkup(
    during work: @Sendable () async -> PresentWork?
  ) async -> [Checkup.Finding] {
    let present = await work()
    return machine.withDatabase { database in
      [Checkup.Finding(.root, .sound, "\(root) is played by the provider '\(name)'")]
        + database.packageFindings(during: present)
        + [
          Checkup.Finding(
            restart: RebootMarker(
              isSet: !database.rebootPackages.isEmpty, packages: database.rebootPackages))
        ]
    }
  }

  package func update(
    in archive: LocalArchive, at path: String
  ) async throws(InstallationError) -> Update {
    let base = archive.fileName.hasSuffix(".deb") ? archive.fileName.dropLast(4) : ""
    let parts = base.split(separator: "_", omittingEmptySubsequences: false)
    if parts.count == 3, Update.isPackageName(parts[0]), Update.isVersion(parts[1]) {
      return Update(
        String(parts[0]), version: String(parts[1]), architecture: String(parts[2]),
        archive: archive)
    }
    throw InstallationError(
      .badArchive, "'\(ScenarioSource.printable(archive.fileName))' is not a package archive",
      class: .fatal, hint: "in a simulation the file's name must be NAME_VERSION_ARCH.deb")
  }

  // MARK: Changes of the machine from outside

  /// Changes the index, so that earlier plans are out of date.
  package func changeIndex() { machine.change { $0.indexGeneration += 1 } }

  /// Restarts the machine, so that no package asks for a restart any more.
  package func restartMachine() { machine.change { $0.rebootPackages = [] } }

  /// Makes a package ask for a restart of the machine.
  package func requestRestart(_ name: String) { machine.change { $0.apply(.reboot(name)) } }

  /// Changes a package like a foreign process: sets its state word and version; nil purges it.
  package func setPackage(
    _ name: String, architecture: String = "amd64", state: String = "installed",
    version: String?
  ) {
    let key = "\(name):\(architecture)"
    machine.change {
      $0.apply(version == nil ? .clear(key) : .set(key, state: state, version: version))
    }
  }

  /// Stops all work like a killed process; ``follow(_:from:)`` continues it.
  package func abandonAll() {
    for run in runs.withLock({ Array($0.values) }) { run.abandon() }
  }

  private func run(
    _ work: JobWork, record: SimulatedDatabase.Work, reported: Int
  ) -> SimulatedRun {
    let run = SimulatedRun(
      work, machine: machine, record: record, reported: reported, clock: clock)
    runs.withLock { runs in
      if runs.count >= 64 { runs = runs.filter { !$0.value.isOver } }
      runs[work.id] = run
    }
    return run
  }

  // A plan stays valid while the index is unchanged and each package has the version before or
  // after its planned step.
  private func checkFingerprint(of work: JobWork) throws(InstallationError) {
    let database = machine.currentDatabase
    guard let made = SimulatedFingerprint(work.plan.fingerprint) else { return }
    let moved = work.plan.steps.enumerated().first { index, step in
      let version = database[step.key].version
      return !work.finishedSteps.contains(index) && version != step.fromVersion
        && version != step.toVersion
    }
    guard made.index != database.indexGeneration || moved != nil else { return }
    throw InstallationError(
      .planOutOfDate,
      moved.map { "the plan is out of date: \($0.element.name) has changed since" }
        ?? "the plan is out of date: the index has changed since", class: .transient,
      update: moved?.element.name, hint: "submit the job again")
  }
}

/// Work whose worker has vanished.
private struct LostRun: JobRun, Sendable {
  var batches: AsyncStream<WorkBatch> {
    AsyncStream { continuation in
      continuation.yield(WorkBatch([.lost]))
      continuation.finish()
    }
  }

  func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer { .over }
  func pendingStop() async -> PendingStop { .over }
  func withdrawStop(under gate: GateLock) async -> Bool { false }
  func previewStop() async -> StopAnswer { .over }
}

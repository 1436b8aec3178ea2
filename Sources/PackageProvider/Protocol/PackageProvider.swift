package import InstallJobs

/// A package system behind the job model: apt and dpkg, or the simulated one.
///
/// A provider plans jobs, starts and follows their work, and reads the package database. It keeps
/// no job state; the engine does.
package protocol PackageProvider: Sendable {
  /// The provider's name, `apt` or `simulated`, shown with each of its jobs.
  var name: String { get }
  /// The absolute path of the package root, or the scenario's name.
  var root: String { get }

  /// Claims the package root for one engine.
  ///
  /// - Parameter stateFolder: The engine's state folder, shown to an engine that tries to claim the
  ///   same root later.
  /// - Returns: The claim, which lasts until it is deallocated; nil where no other engine can use
  ///   the root.
  /// - Throws: `busy`, naming the engine that has the claim; `badRoot`.
  func claimRoot(stateFolder: String) throws(InstallationError) -> RootClaim?

  /// Plans a validated request against the present index and package database; changes nothing.
  ///
  /// - Parameters:
  ///   - request: The job's request.
  ///   - pending: The changes that jobs ahead in the queue will make.
  /// - Returns: The plan.
  /// - Throws: `notApplicable`, `unresolvable`, `notUninstallable`, `sourceUnavailable`, `noSpace`,
  ///   `badRoot`, each naming the package and the next step.
  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan

  /// Starts the work of a job in its folder and returns as soon as the worker runs.
  ///
  /// The work continues when the engine dies. Steps in `work.finishedSteps` are left out (resumed
  /// jobs).
  ///
  /// - Throws: `planOutOfDate` when the package root no longer matches the plan; `badRoot`.
  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun

  /// Whether the provider can fetch a job's archives before the job starts.
  var fetchesAhead: Bool { get }

  /// Fetches archives of a job that has not started.
  ///
  /// Cancelling the task stops the download; the next download of these archives resumes it. Errors
  /// are not reported: the job fetches missing archives itself and reports why it cannot.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - steps: Steps whose archives are left out, because jobs ahead install those packages first.
  /// - Returns: Whether all archives of the other steps are present.
  func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool

  /// Follows work that an earlier engine process started.
  ///
  /// Reads the files from `offsets` on, so that nothing is reported twice.
  ///
  /// - Returns: The run, which reports `lost` when the worker is gone and left no exit status.
  func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun

  /// Compares the package database with the plan.
  func verify(_ plan: JobPlan) async -> Verification

  /// Checks the archives of a download-only job against the size and hash in the index.
  ///
  /// - Returns: A finding for each archive of the plan, by step index.
  func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding]

  /// Returns the installed packages for which the index has a newer version.
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate]

  /// Searches the present index and package database for updates; changes nothing.
  ///
  /// - Parameters:
  ///   - criteria: Validated criteria.
  ///   - stateFolder: The engine's state folder, where jobs keep archives.
  /// - Returns: The updates found, with a warning for each source whose index is missing.
  /// - Throws: `badRoot`; `unresolvable` where the index cannot be read.
  func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult

  /// Returns facts about the package system and its machine.
  ///
  /// - Throws: `badRoot` where the package database cannot be read.
  func systemFacts() async throws(InstallationError) -> SystemFacts

  /// Sets a mark of installed packages and checks that the database shows it.
  ///
  /// - Throws: `notPermitted`; `notApplicable` for a package that is not installed; `busy` while
  ///   another process uses the package database; `notVerified`.
  func mark(_ mark: PackageMark, _ updates: [Update]) async throws(InstallationError)

  /// Fetches the package index again; cancelling the task stops it.
  ///
  /// - Parameters:
  ///   - proxy: The HTTP proxy as a URL; nil uses the machine's setting.
  ///   - needsAll: Whether a source that does not answer is an error.
  /// - Throws: `notPermitted`; `busy` while another process refreshes the index; `downloadFailed`
  ///   with the package system's message.
  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError)

  /// Returns whether a restart of the machine is pending, and the packages that asked for it.
  func rebootReasons() async -> RebootMarker

  /// Returns the foreign process that holds the package lock; nil when the lock is free.
  func lockHolder() async -> LockHolder?

  /// Asks the lock holder to end after its present set of packages.
  ///
  /// - Returns: The process that was asked.
  /// - Throws: `invalidState` where no process holds the lock, or the holder does not support such
  ///   a request; `notPermitted`.
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder

  /// Checks everything that jobs need to work on the root; changes nothing.
  ///
  /// - Parameter work: Returns the present work of the engine that asks, nil when it has none;
  ///   called several times.
  /// - Returns: At least one finding.
  func checkup(during work: @Sendable () async -> PresentWork?) async -> [Checkup.Finding]

  /// Reads name, version and architecture from an archive.
  ///
  /// - Throws: `badArchive`.
  func update(in archive: LocalArchive, at path: String) async throws(InstallationError) -> Update
}

extension PackageProvider {
  /// Plans a request as if no jobs were ahead of it.
  ///
  /// - Throws: As ``plan(_:behind:)``.
  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await plan(request, behind: PendingWork())
  }

  /// Returns no facts: a simulated machine has no tools and no operating system.
  package func systemFacts() async throws(InstallationError) -> SystemFacts { SystemFacts() }

  /// Returns no findings.
  package func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding] { [:] }

  /// Returns false: there is nothing to fetch.
  package var fetchesAhead: Bool { false }

  /// Returns false: there is nothing to fetch.
  package func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool { false }

  /// Returns nil: no other engine can use the root.
  package func claimRoot(stateFolder: String) throws(InstallationError) -> RootClaim? { nil }

  /// Throws `invalidState`: a simulated lock holder ends when its scenario says so.
  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    guard let holder = await lockHolder() else {
      throw InstallationError(
        .invalidState, "nobody else holds the package lock", class: .transient)
    }
    let who = "\(holder.command ?? "a process") (pid \(holder.pid))"
    throw InstallationError(
      .invalidState, "\(who) holds the package lock and cannot be asked to yield", class: .fatal,
      hint: "jobs wait for it and begin by themselves when it ends")
  }

  /// Returns one finding without a fault: a simulated machine has nothing to check.
  package func checkup(
    during work: @Sendable () async -> PresentWork?
  ) async -> [Checkup.Finding] {
    [Checkup.Finding(.root, .sound, "\(root) is played by the provider '\(name)'")]
  }
}

/// The marker file of a pending restart.
package struct RebootMarker: Sendable, Hashable {
  package var isSet: Bool
  /// The packages named in the list beside the marker, in the order of the list, each once.
  package var packages: [String]

  package init(isSet: Bool, packages: [String] = []) {
    self.isSet = isSet
    self.packages = packages
  }
}

/// The input of a provider for one job's work.
package struct JobWork: Sendable {
  package var id: JobID
  package var request: JobRequest
  /// The user who requested the job, for the records of the package tools; nil if unknown.
  package var requester: UInt32?
  package var plan: JobPlan
  package var folder: JobFolder
  /// The folder of local archives that requests name, stored by their SHA-256.
  package var archiveStore: String
  /// Steps that are finished already, for a resumed job.
  package var finishedSteps: Set<Int>
  /// Seconds that configuring each step's package took before; a step is missing if it was never
  /// measured.
  package var configuringSeconds: [Int: Double]

  package init(
    id: JobID, request: JobRequest, plan: JobPlan, folder: JobFolder, archiveStore: String,
    finishedSteps: Set<Int> = [], configuringSeconds: [Int: Double] = [:],
    requester: UInt32? = nil
  ) {
    self.id = id
    self.requester = requester
    self.request = request
    self.plan = plan
    self.folder = folder
    self.archiveStore = archiveStore
    self.finishedSteps = finishedSteps
    self.configuringSeconds = configuringSeconds
  }
}

extension JobWork {
  /// Whether archives are fetched again although other jobs keep them (row W4).
  package var fetchesAnew: Bool { request.options.isDownloadOnly && request.options.isForced }
}

/// The running work of one job: its reports, and requests to stop it.
package protocol JobRun: Sendable {
  /// The reports of the work, in order; one reader at a time. Ends after `ended` or `lost`.
  ///
  /// The offsets of a batch say how far the files were read for it. The engine commits reports and
  /// offsets together, so that no batch is lost or counted twice.
  var batches: AsyncStream<WorkBatch> { get }

  /// Whether any archive of the plan, or part of an archive, was present when the work started:
  /// fetched ahead, kept by another job, or left by an interrupted download. False for work of an
  /// earlier engine process.
  ///
  /// The download's duration then does not measure the connection to the source.
  var foundArchives: Bool { get }

  /// Steps that the package root satisfied before the work started; they are left out. Empty for
  /// work of an earlier engine process, because its journal has them.
  var satisfiedSteps: Set<Int> { get }

  /// Acquires the lock under which a request to stop is written or cancelled.
  ///
  /// Waits no longer than a time-out. The caller must release the lock.
  func lockGate() async -> GateLock

  /// Asks the work to stop at the next boundary and returns that boundary.
  ///
  /// Returns at once; the answer is final unless the request is cancelled. Repeated requests return
  /// the same answer.
  ///
  /// - Parameters:
  ///   - request: The kind of stop and its requester. The work keeps the first request, except that
  ///     an abort replaces a pause.
  ///   - time: The time of the request.
  ///   - gate: The result of ``lockGate()``; this function does not wait for the lock.
  /// - Returns: Where the work stops, or why it does not.
  func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer

  /// Returns the pending request to stop, also if an earlier engine process received it.
  func pendingStop() async -> PendingStop

  /// Cancels the request to stop.
  ///
  /// - Parameter gate: The result of ``lockGate()``.
  /// - Returns: Whether the request was cancelled before it took effect.
  func withdrawStop(under gate: GateLock) async -> Bool

  /// Returns the answer that `requestStop` would give now.
  func previewStop() async -> StopAnswer

  /// Returns what the work does while it installs without any output; nil when that is unknown.
  func stallCause() async -> StallCause?
}

extension JobRun {
  /// Empty: no steps were satisfied beforehand.
  package var satisfiedSteps: Set<Int> { [] }

  /// Returns a lock that is not needed: work without a process has no gate.
  package func lockGate() async -> GateLock { .notNeeded }

  /// Locks the gate and asks the work to stop; see ``requestStop(_:at:under:)``.
  package func requestStop(_ request: StopRequest, at time: Timestamp) async -> StopAnswer {
    let gate = await lockGate()
    defer { gate.release() }
    return await requestStop(request, at: time, under: gate)
  }

  /// Locks the gate and cancels the request to stop; see ``withdrawStop(under:)``.
  package func withdrawStop() async -> Bool {
    let gate = await lockGate()
    defer { gate.release() }
    return await withdrawStop(under: gate)
  }

  /// False: no archives were present.
  package var foundArchives: Bool { false }

  /// Returns nil: the cause is unknown for work without a process.
  package func stallCause() async -> StallCause? { nil }
}

/// Where work will stop.
package enum StopAnswer: Sendable, Hashable {
  /// At once: nothing of the plan has changed any package yet, or only downloads are running.
  case atOnce
  /// After the step with this index in the plan; the steps after it are left out.
  case after(step: Int)
  /// Not at all: the step with this index is running and is the last one.
  case finalStep(Int)
  /// The work has ended already.
  case over
  /// Not at all: the request could not be written; the text says why, in one line.
  case impossible(String)

  /// Whether the work stops.
  package var isStop: Bool {
    switch self {
    case .atOnce, .after: true
    case .finalStep, .over, .impossible: false
    }
  }
}

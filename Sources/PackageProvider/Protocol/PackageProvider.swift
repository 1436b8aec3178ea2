package import InstallJobs

/// A package system behind the job model: apt and dpkg, or the scripted one.
///
/// A provider plans, starts the work of a job, follows work that an earlier engine started, and says
/// what the package database holds. It keeps no state of jobs: the engine does.
package protocol PackageProvider: Sendable {
  /// `apt`, or `simulated`. Shown wherever its jobs are shown.
  var name: String { get }
  /// The package root as an absolute path, or the scenario's name.
  var root: String { get }

  /// Claims the package root for one engine.
  ///
  /// - Parameter stateFolder: The engine's state folder, for whoever comes second.
  /// - Returns: The claim, which lasts until it is dropped; nil where there is nothing to share.
  /// - Throws: `busy`, naming the engine that is there; `badRoot`.
  func claimRoot(stateFolder: String) throws(InstallationError) -> RootClaim?

  /// Plans a validated request against the present index and package database, touching nothing.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - pending: What other jobs will have done before the request has its turn.
  /// - Returns: The plan.
  /// - Throws: `notApplicable`, `unresolvable`, `notUninstallable`, `sourceUnavailable`, `noSpace`,
  ///   `badRoot`, each naming the package and the next step.
  func plan(
    _ request: JobRequest, behind pending: PendingWork
  ) async throws(InstallationError) -> JobPlan

  /// Starts the work of a job in its folder and returns as soon as it is under way.
  ///
  /// The work goes on when the engine dies. Steps in `work.finishedSteps` are left out (a resumed
  /// job).
  ///
  /// - Throws: `planOutOfDate` when the machine no longer is what the plan was made for; `badRoot`.
  func start(_ work: JobWork) async throws(InstallationError) -> any JobRun

  /// Whether archives of a job can be fetched before it begins.
  var fetchesAhead: Bool { get }

  /// Fetches archives of a job that has not begun, so that it finds them when it does; stopped by the
  /// cancellation of its task, and resumed by whoever fetches next.
  ///
  /// What goes wrong is not reported: the job fetches what is missing itself, and says why it cannot.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - steps: Steps whose archives are not wanted, because other jobs bring those packages first.
  /// - Returns: Whether all that is wanted is there.
  func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool

  /// Follows work that was started before, by an engine that is gone.
  ///
  /// Streams are read from `offsets` on, so that nothing is reported twice.
  ///
  /// - Returns: The run, which reports `lost` when the worker is gone without its exit status.
  func follow(_ work: JobWork, from offsets: StreamOffsets) async -> any JobRun

  /// Compares the package database with the plan (promise 2).
  func verify(_ plan: JobPlan) async -> Verification

  /// Checks the archives of a job that only fetched them: each by the size and hash of the index.
  ///
  /// - Returns: A finding for each archive of the plan, by its step.
  func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding]

  /// Installed packages for which the index has a newer version.
  func upgradableUpdates() async throws(InstallationError) -> [PlannedUpdate]

  /// Looks for updates in the index and the package database as they are; touches nothing.
  ///
  /// - Parameters:
  ///   - criteria: Validated criteria.
  ///   - stateFolder: The engine's state folder, where jobs keep archives.
  /// - Returns: What was found, with a warning for each source that could not be looked at.
  /// - Throws: `badRoot`; `unresolvable` where the index cannot be read.
  func search(
    _ criteria: UpdateCriteria, keptIn stateFolder: String
  ) async throws(InstallationError) -> UpdateSearchResult

  /// What is known of the package system and its machine.
  ///
  /// - Throws: `badRoot` where the package database cannot be read.
  func systemFacts() async throws(InstallationError) -> SystemFacts

  /// Fetches the package index anew; stopped by the cancellation of its task.
  ///
  /// - Parameters:
  ///   - proxy: The HTTP proxy, as a URL; nil leaves the machine's setting.
  ///   - needsAll: Whether a source that does not answer is an error.
  /// - Throws: `notPermitted`; `busy` while another process does it; `downloadFailed` with the
  ///   package system's own words.
  func refreshIndex(proxy: String?, needsAll: Bool) async throws(InstallationError)

  /// Packages that asked for a restart of the machine which has not happened, and whether any did.
  func rebootReasons() async -> RebootMarker

  /// The foreign process that holds the package lock, if any.
  func lockHolder() async -> LockHolder?

  /// Asks that process to end after what it is at.
  ///
  /// - Returns: Who was asked.
  /// - Throws: `invalidState` where nobody holds the lock, or the holder knows no such request;
  ///   `notPermitted`.
  func askLockHolderToYield() async throws(InstallationError) -> LockHolder

  /// Looks at everything that decides whether jobs can work; changes nothing.
  ///
  /// - Parameter work: What the asking engine is at work on, asked whenever it matters; nil where it
  ///   is not.
  /// - Returns: At least one finding.
  func checkup(during work: @Sendable () async -> PresentWork?) async -> [Checkup.Finding]

  /// Reads name, version and architecture out of an archive.
  ///
  /// - Throws: `badArchive`.
  func update(in archive: LocalArchive, at path: String) async throws(InstallationError) -> Update
}

extension PackageProvider {
  /// Plans a request that has its turn at once.
  ///
  /// - Throws: As ``plan(_:behind:)``.
  package func plan(_ request: JobRequest) async throws(InstallationError) -> JobPlan {
    try await plan(request, behind: PendingWork())
  }

  /// A scripted machine has no tools and no system.
  package func systemFacts() async throws(InstallationError) -> SystemFacts { SystemFacts() }

  /// No archive is there.
  package func checkArchives(of work: JobWork) async -> [Int: ArchiveFinding] { [:] }

  /// There is nothing to fetch.
  package var fetchesAhead: Bool { false }

  /// There is nothing to fetch.
  package func fetchAhead(_ work: JobWork, leavingOut steps: Set<Int>) async -> Bool { false }

  /// Nothing is shared with other engines.
  package func claimRoot(stateFolder: String) throws(InstallationError) -> RootClaim? { nil }

  /// A holder that is no process goes when its script says.
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

  /// A scripted machine has nothing that could be wrong with it.
  package func checkup(
    during work: @Sendable () async -> PresentWork?
  ) async -> [Checkup.Finding] {
    [Checkup.Finding(.root, .sound, "\(root) is played by the provider '\(name)'")]
  }
}

/// The restart marker of a root.
package struct RebootMarker: Sendable, Hashable {
  package var isSet: Bool
  /// The packages named in the list beside the marker, in its order, each once.
  package var packages: [String]

  package init(isSet: Bool, packages: [String] = []) {
    self.isSet = isSet
    self.packages = packages
  }
}

/// What a provider needs to do one job's work.
package struct JobWork: Sendable {
  package var id: JobID
  package var request: JobRequest
  package var plan: JobPlan
  package var folder: JobFolder
  /// Where local archives named by the request lie, by their SHA-256.
  package var archiveStore: String
  /// Steps that are done already: a job that was suspended and goes on.
  package var finishedSteps: Set<Int>
  /// Seconds that configuring a step's package took before; a step without was never timed.
  package var configuringSeconds: [Int: Double]

  package init(
    id: JobID, request: JobRequest, plan: JobPlan, folder: JobFolder, archiveStore: String,
    finishedSteps: Set<Int> = [], configuringSeconds: [Int: Double] = [:]
  ) {
    self.id = id
    self.request = request
    self.plan = plan
    self.folder = folder
    self.archiveStore = archiveStore
    self.finishedSteps = finishedSteps
    self.configuringSeconds = configuringSeconds
  }
}

extension JobWork {
  /// Whether archives are fetched although other jobs have them (row W4).
  package var fetchesAnew: Bool { request.options.isDownloadOnly && request.options.isForced }
}

/// The work of one job under way: what it reports, and how it is asked to stop.
package protocol JobRun: Sendable {
  /// What the work reports, in order, from one reader; ends after `ended` or `lost`.
  ///
  /// A batch's offsets say how far the files were read for it: the engine commits both together, so
  /// that a batch is never lost and never counted twice.
  var batches: AsyncStream<WorkBatch> { get }

  /// Whether any archive of the plan, or a part of one, was there when the work was started: fetched
  /// ahead, kept by another job, or cut off earlier. False for work that was found again.
  ///
  /// How long its download takes then tells nothing of the way to the archives.
  var foundArchives: Bool { get }

  /// Steps that the machine satisfied before the work was started: they are left out. Empty for work
  /// that was found again, whose record has them.
  var satisfiedSteps: Set<Int> { get }

  /// Locks what a request to stop, or its withdrawal, is written under.
  ///
  /// Bounded by a time-out. To be released by the caller.
  func lockGate() async -> GateLock

  /// Asks the work to stop at the next boundary and says which one that is, exactly.
  ///
  /// Answers at once; the answer is final unless withdrawn. Asking again gives the same answer.
  ///
  /// - Parameters:
  ///   - request: Who asks, for what. The work keeps the first; an abort takes the place of a request
  ///     to be resumed.
  ///   - time: When it was asked for.
  ///   - gate: What ``lockGate()`` gave; never waited for here.
  /// - Returns: Where it stops, or why it does not.
  func requestStop(
    _ request: StopRequest, at time: Timestamp, under gate: GateLock
  ) async -> StopAnswer

  /// Whether it was asked to stop, whichever engine took the request.
  func pendingStop() async -> PendingStop

  /// Takes the request back.
  ///
  /// - Parameter gate: What ``lockGate()`` gave.
  /// - Returns: Whether it was taken back before it took effect.
  func withdrawStop(under gate: GateLock) async -> Bool

  /// What `requestStop` would answer at this moment.
  func previewStop() async -> StopAnswer

  /// What the work is at while it installs and says nothing; nil when that cannot be known.
  func stallCause() async -> StallCause?
}

extension JobRun {
  /// None was satisfied.
  package var satisfiedSteps: Set<Int> { [] }

  /// Work that is no process has no gate.
  package func lockGate() async -> GateLock { .notNeeded }

  /// Locks the gate and asks the work to stop; see ``requestStop(_:at:under:)``.
  package func requestStop(_ request: StopRequest, at time: Timestamp) async -> StopAnswer {
    let gate = await lockGate()
    defer { gate.release() }
    return await requestStop(request, at: time, under: gate)
  }

  /// Locks the gate and takes the request back; see ``withdrawStop(under:)``.
  package func withdrawStop() async -> Bool {
    let gate = await lockGate()
    defer { gate.release() }
    return await withdrawStop(under: gate)
  }

  /// Nothing was there.
  package var foundArchives: Bool { false }

  /// Nothing is known of work that is no process.
  package func stallCause() async -> StallCause? { nil }
}

/// Where work will stop.
package enum StopAnswer: Sendable, Hashable {
  /// At once: nothing of the plan has been changed, or only downloads are running.
  case atOnce
  /// After the step with this index in the plan; everything after it is left out.
  case after(step: Int)
  /// Not at all: the step with this index is running and nothing comes after it.
  case finalStep(Int)
  /// The work is over already.
  case over
  /// Not at all: the request could not be written down; says why, in one line.
  case impossible(String)

  /// Whether the work stops.
  package var isStop: Bool {
    switch self {
    case .atOnce, .after: true
    case .finalStep, .over, .impossible: false
    }
  }
}

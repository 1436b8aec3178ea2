import HostSystem
package import InstallJobs
import JobJournal
import PackageProvider

/// Requests of clients to the engine. Every act names its requester; the caller has checked the
/// requester's rights.
extension Engine {
  /// Plans a request and stores the job in the journal and the queue; returns before any work.
  ///
  /// A request whose token is known returns the job that the token created, provided that the
  /// request is the same.
  ///
  /// - Throws: Every reason to refuse (rows A13 to A17, A25, A32, A43); nothing is stored then.
  ///   `invalidArgument` for a known token with another request, and for a latest stop time in the
  ///   past.
  package func submit(
    _ request: JobRequest, by requester: Requester
  ) async throws(InstallationError) -> JobSnapshot {
    let request = try request.validated()
    if let known = try existing(for: request) { return known }
    try await refuseWithoutRoom()
    try refuseIfTooLate(request)
    // Throws for an unknown job: a job that waits for an unknown job would wait for ever.
    if let before = request.options.after { _ = try journal.job(before, withPlan: false) }
    var holder = await lockHolder(against: request)
    if let known = try admit(request, holder) { return known }
    try await refuseBeforeReboot(request)
    let provider = provider
    let plan = try await planning.plan(for: PlanningUser(requester, mayAct: true)) {
      [weak self] () async throws(InstallationError) in
      let pending = await self?.pendingWork(before: request) ?? PendingWork()
      return pending.plan(try await provider.plan(request, behind: pending), for: request)
    }
    try plan.requireConsent(for: request)
    // Other requests may have been admitted during the planning. From this check until the journal
    // has stored the job, nothing may suspend.
    holder = await lockHolder(against: request)
    if let known = try admit(request, holder) { return known }
    let waiting = jobsOfUser[requester] ?? 0
    guard waiting < settings.mostJobsPerUser else {
      throw InstallationError(
        .busy, "\(requester.user) has \(waiting) jobs waiting already", class: .transient,
        hint: "wait for some to end")
    }
    let learned = learnedCosts(of: plan)
    let submission: Submission
    do throws(InstallationError) {
      submission = try journal.submit(
        request, plan: plan, requestedBy: requester, provider: provider.name,
        expected: expectedWork(on: plan, request, by: learned), at: settings.now())
    } catch {
      throw refusal(for: error)
    }
    let snapshot = submission.snapshot
    // The token's job exists already.
    guard let event = submission.event else { return try existing(for: request) ?? snapshot }
    addLiveJob(
      LiveJob(JobMachine(snapshot, plan: plan, bootID: settings.bootID), request, by: requester))
    updateCosts(snapshot.id, by: learned)
    scheduleAbort(snapshot.id, request.options)
    enqueue(snapshot.id)
    publish([event])
    schedule()
    return self.snapshot(of: snapshot.id) ?? snapshot
  }

  /// Returns the plan that ``submit(_:by:)`` would carry out, without the passwords in archive
  /// addresses.
  ///
  /// Ends when its task is cancelled.
  ///
  /// - Throws: As ``submit(_:by:)``; `busy` when too many requests wait to be planned; `timedOut`
  ///   when a tool of the package system does not end.
  package func plan(
    _ request: JobRequest, for user: PlanningUser
  ) async throws(InstallationError) -> JobPlan {
    let request = try request.validated()
    try refuseIfTooLate(request)
    let provider = provider
    let plan = try await planning.plan(for: user) {
      [weak self] () async throws(InstallationError) in
      let pending = await self?.pendingWork(before: request) ?? PendingWork()
      return pending.plan(try await provider.plan(request, behind: pending), for: request)
    }
    return plan.withoutCredentials
  }

  /// Jobs in the given states, oldest first, without plans: all jobs that are not over, and the
  /// newest ``mostEnded`` jobs that are over.
  @concurrent package nonisolated func jobs(
    in states: Set<JobState>?
  ) async throws(InstallationError) -> [JobSnapshot] {
    try await listing(in: states, ended: Self.mostEnded, includingCleanedUp: true)
  }

  /// Maximum number of ended jobs in a list.
  static let mostEnded = 1000

  @concurrent nonisolated func listing(
    in states: Set<JobState>? = nil, ended limit: Int, includingCleanedUp: Bool
  ) async throws(InstallationError) -> [JobSnapshot] {
    let open = await liveSnapshots(in: states, isForeseen: true)
    return try adding(
      limit, in: states, to: open, includingCleanedUp: includingCleanedUp)
  }

  /// Adds the newest ended jobs to the given open jobs; oldest first.
  ///
  /// Reads the journal on the caller's thread, so that a long history does not delay the engine.
  nonisolated func adding(
    _ limit: Int, in states: Set<JobState>? = nil, to open: [JobSnapshot], includingCleanedUp: Bool
  ) throws(InstallationError) -> [JobSnapshot] {
    let final = (states ?? Set(JobState.allCases)).filter(\.isFinal)
    guard limit > 0, !final.isEmpty else { return open }
    let over = try journal.jobs(
      in: final, includingCleanedUp: includingCleanedUp, newestFirst: true, limit: limit)
    // A job that has ended since the open jobs were read is in both lists.
    let known = Set(open.map(\.id))
    return (open + over.filter { !known.contains($0.id) }).sorted { $0.id < $1.id }
  }

  /// Returns one job with its plan.
  package func job(_ id: JobID) async throws(InstallationError) -> JobSnapshot {
    if let snapshot = snapshot(of: id) { return snapshot }
    return try journal.job(id, withPlan: true)
  }

  /// Returns the request of a job as it was submitted.
  ///
  /// - Throws: `unknownJob`.
  package nonisolated func request(of id: JobID) throws(InstallationError) -> JobRequest {
    try journal.request(of: id)
  }

  /// Ended jobs, cleaned up or not, the last ended first; their plans are left out (rows Y2, Y3).
  ///
  /// Reads the journal on the caller's thread, so that a long history does not delay the engine.
  ///
  /// - Throws: `invalidIndex` for a negative limit; `unknownJob` when `after` does not exist.
  package nonisolated func history(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) throws(InstallationError) -> [JobSnapshot] {
    try journal.history(filter, after: after, limit: limit)
  }

  /// Cleans up an ended job: removes its archives and work files and records the clean-up.
  package func cleanUp(_ id: JobID, by requester: Requester) async throws(InstallationError) {
    if live[id] != nil {
      try throwRefusal(in: try dispatch(.cleanUp(by: requester), to: id))
      return
    }
    // A download for the job must end before its files are removed: it would create the files
    // again, and a cleaned-up job is never checked again.
    await aheadFetches.task(of: id)?.value
    guard try !journal.job(id, withPlan: false).isCleanedUp else { return }
    releaseFiles(of: id)
    guard unrecordedCleanUps[id] == nil else { return }
    try recordCleanUp(id, by: requester)
  }

  /// Installed packages for which the index has a newer version.
  ///
  /// Waits for its turn in the planning queue and ends when its task is cancelled.
  package func upgradableUpdates(
    for user: PlanningUser
  ) async throws(InstallationError) -> [PlannedUpdate] {
    let provider = provider
    return try await planning.plan(for: user) { () async throws(InstallationError) in
      try await provider.upgradableUpdates()
    }
  }

  /// Stores a piece of a local archive; see ``InstallationBackend/upload(_:at:of:)``.
  ///
  /// All pieces of an archive must come from the same uploader.
  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive, from uploader: Uploader
  ) async throws(InstallationError) -> Update? {
    try await refuseWithoutRoom()
    guard let path = try await archives.store(bytes, at: offset, of: archive, from: uploader)
    else { return nil }
    do throws(InstallationError) {
      let provider = provider
      var update = try await providerThreads.run { () async throws(InstallationError) in
        try await provider.update(in: archive, at: path)
      }
      update.archive = archive
      return update
    } catch {
      removeUnused([archive])
      throw error
    }
  }

  /// Deletes the unfinished uploads of a disconnected uploader.
  package func dropUploads(_ uploader: Uploader) async { await archives.drop(from: uploader) }

  /// Returns a piece of a job's log.
  ///
  /// - Returns: The piece; an empty piece when the log is gone.
  /// - Throws: `unknownJob`.
  package func log(
    of id: JobID, from offset: Int64, limit: Int64
  ) async throws(InstallationError) -> LogChunk {
    if live[id] == nil { _ = try journal.job(id, withPlan: false) }
    let path = JobFolder(of: id, inState: settings.stateFolder).path(.log)
    if let chunk = LogChunk.read(path, from: offset, limit: limit) { return chunk }
    return LogChunk(offset: 0, text: "", nextOffset: 0, length: 0)
  }

  /// Returns the state of the engine, the queue, the lock and a pending restart.
  package func status() async throws(InstallationError) -> EngineStatus {
    let marks = await rootMarks()
    let marker = marks?.reboot ?? RebootMarker(isSet: false)
    var figures = queueFigures
    let fault = journal.fault ?? roomShortage
    faultSeenAt = fault == nil ? nil : faultSeenAt ?? settings.now()
    if figures.pause?.cause != .journal, let fault, let faultSeenAt {
      // The journal has refused nothing yet but will refuse the next write.
      figures.paused = true
      figures.pause = QueuePause(.journal, since: faultSeenAt, detail: fault.message)
    }
    return EngineStatus(
      engine: EngineStatus.Engine(
        pid: ProcessIdentity.own, version: settings.version, startedAt: startedAt,
        root: provider.root, provider: provider.name),
      queue: figures,
      lock: foreignHolder(marks?.holder), runningJob: queue.running,
      requiresReboot: marker.isSet, rebootReasons: marker.packages,
      requiresRebootFirst: marker.isSet && settings.requiresRebootFirst, seq: journal.lastSeq,
      time: settings.now(), isRootUnknown: marks == nil ? true : nil)
  }

  // MARK: Parts

  /// Inserts a job into the queue by its present priority.
  func enqueue(_ id: JobID) {
    guard let job = live[id] else { return }
    let options = job.request.options
    queue.insert(
      JobQueue.Entry(
        id: id, priority: JobQueue.withinRange(job.machine.snapshot.options.priority),
        after: options.after, notBefore: options.earliestStart,
        isPaused: job.machine.state == .paused,
        load: QueueLoad(job.machine.snapshot)))
  }

  func releaseFiles(of id: JobID) {
    JobFolder(of: id, inState: settings.stateFolder).removeWorkFiles()
    guard let request = try? journal.request(of: id) else { return }
    removeUnused(request.updates.compactMap(\.archive))
  }

  /// Removes the given archives except those that a live job needs.
  private func removeUnused(_ brought: [LocalArchive]) {
    guard !brought.isEmpty else { return }
    let needed = Set(live.values.flatMap { $0.request.updates.compactMap(\.archive?.sha256) })
    for archive in brought where !needed.contains(archive.sha256) { archives.remove(archive) }
  }

  /// How long a request waits for a job that is being started, in seconds.
  private static let startSeconds = 15.0

  /// Waits until a starting job has started or failed to start.
  ///
  /// - Throws: `busy` when the start takes longer than `startSeconds`; `unknownJob`.
  func waitUntilStarted(_ id: JobID) async throws(InstallationError) {
    if live[id] == nil { _ = try journal.job(id, withPlan: false) }
    // Not in one expression: the access to `live` would last as long as the wait. Repeated, because
    // the job may have been resumed meanwhile.
    while let starting = live[id]?.starting {
      guard await starting.value(within: .seconds(Self.startSeconds)) == nil else { continue }
      throw InstallationError(
        .busy, "job \(id) is being started: its plan is compared with the machine",
        class: .transient, hint: "ask again in a moment")
    }
  }

  func refuseIfOver(_ id: JobID) throws(InstallationError) {
    guard live[id] == nil else { return }
    throw InstallationError(.invalidState, "job \(id) is over", class: .fatal)
  }

  func throwRefusal(in actions: [JobMachine.Action]) throws(InstallationError) {
    for case .refuse(let error) in actions { throw error }
  }
}

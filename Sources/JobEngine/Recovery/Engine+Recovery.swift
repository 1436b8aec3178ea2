import Glibc
package import InstallJobs
import JobJournal
import Logging
import PackageProvider

extension Engine {
  /// Recovers the jobs of an earlier engine: follows work that still runs, verifies work that has
  /// ended, and starts the queue (rows B29, N3).
  ///
  /// - Throws: An error of the journal.
  package func start() async throws(InstallationError) {
    try readmitJobsFromFolders()
    try await archives.sweep { [journal] () throws(InstallationError) in
      // Archives of an ended job are needed for a retry until the job is cleaned up.
      var needed: Set<String> = []
      for job in try journal.jobs() {
        needed.formUnion(try journal.request(of: job.id).updates.compactMap(\.archive?.sha256))
      }
      return needed
    }
    // An engine that was killed right after it had recorded such an end has not marked the folder.
    for job in try journal.jobs(in: [.interrupted]) {
      JobFolder(of: job.id, inState: settings.stateFolder).markEnded()
    }
    if let pause = try journal.queuePause() { queue.pause(pause) }
    for snapshot in try journal.liveJobs(withPlans: true) {
      let id = snapshot.id
      let plan = try journal.plan(of: id)
      guard snapshot.fits(plan) else { throw Self.contradiction(of: id) }
      let request = try journal.request(of: id)
      var machine = JobMachine(
        recovering: snapshot, plan: plan, bootID: settings.bootID,
        learned: snapshot.startedAt == nil ? LearnedCosts() : learnedCosts(of: plan),
        at: settings.now())
      machine.catchUp(to: settings.now())
      addLiveJob(LiveJob(machine, request, by: snapshot.requestedBy))
      let isStopOpen = try !hasCancelledScheduledAbort(id, request.options)
      await recover(id, offsets: try journal.offsets(of: id))
      // After the recovery of a stop that the work itself knows.
      if isStopOpen, live[id] != nil { scheduleAbort(id, request.options) }
    }
    do throws(InstallationError) {
      publish(
        try journal.append(
          [EventDraft(nil, .engine(EngineNotice(.started, "the engine started")))], offsets: [:],
          at: settings.now()))
    } catch {
      // Read access, aborts and clean-ups need no record of the start.
      guard journal.isDiskFull(error) else { throw error }
      logger.critical("cannot record the start: \(error)")
    }
    // Only now, so that the record of the start has room before the reserve is created.
    journal.reserve?.make()
    schedule()
    removeOldLater()
    let engine = self
    Task { await engine.verifyAfterReboot() }
  }

  private func recover(_ id: JobID, offsets: StreamOffsets) async {
    guard let job = live[id] else { return }
    switch job.machine.state {
    case .queued, .paused:
      guard hasStarted(id) else { return enqueue(id) }
      // The engine died between starting the worker and recording the start: the worker decides.
      queue.setRunning(id)
      live[id]?.transactionalMachine.change { $0.assumeStarting() }
      // The work is followed even if its start cannot be recorded.
      if (try? dispatch(.started, to: id)) == nil {
        live[id]?.transactionalMachine.change { $0.assumeStarted() }
      }
      await followAgain(id, offsets: offsets)
    case .starting, .working:
      queue.setRunning(id)
      await followAgain(id, offsets: offsets)
    case .suspended:
      queue.setRunning(id)
      guard hasUnreadWork(id, offsets) else {
        // The job was resumed, and the engine died before its work began.
        if job.machine.snapshot.waitingFor == nil { _ = try? dispatch(.resume, to: id) }
        resumeAfterShutdown(id)
        return
      }
      // The job was being resumed, and the engine died before it recorded that the work began.
      live[id]?.transactionalMachine.change { $0.assumeStarted() }
      await followAgain(id, offsets: offsets)
    case .verifying:
      queue.setRunning(id)
      verify(id)
    case .ended:
      removeLiveJob(id, of: job.requestedBy)
    }
  }

  private func followAgain(_ id: JobID, offsets: StreamOffsets) async {
    guard let job = live[id] else { return }
    logger.info("following the work of an earlier engine", metadata: ["job": "\(id)"])
    if JobFolder(of: id, inState: settings.stateFolder).isOfEarlierBoot {
      live[id]?.transactionalMachine.change { $0.wasCutByRestart = true }
    }
    let run = await provider.follow(work(of: id, job), from: offsets)
    live[id]?.run = run
    await applyPendingStop(of: id, from: run)
    follow(run, of: id)
  }

  /// Whether the job's folder contains more than was read when the job was suspended.
  private func hasUnreadWork(_ id: JobID, _ offsets: StreamOffsets) -> Bool {
    guard hasStarted(id) else { return false }
    let folder = JobFolder(of: id, inState: settings.stateFolder)
    if unsafe access(folder.path(.exit), F_OK) != 0 { return true }
    return [JobFolder.Entry.stages, .dpkgStatus].contains { entry in
      var record = stat()
      guard unsafe stat(folder.path(entry), &record) == 0 else { return false }
      return Int64(record.st_size) > offsets[entry.rawValue] ?? 0
    }
  }

  private func hasStarted(_ id: JobID) -> Bool {
    let folder = JobFolder(of: id, inState: settings.stateFolder)
    return unsafe access(folder.path(.started), F_OK) == 0
  }
}

extension Engine {
  /// The error for two records of a job that contradict each other; no check of the journal file
  /// finds this.
  private static func contradiction(of id: JobID) -> InstallationError {
    InstallationError(
      .journal, "the journal's records of job \(id) contradict each other", class: .fatal,
      hint: "stop the engine, move journal.sqlite with its -wal and -shm to a safe place, and start"
        + " the engine: it finds jobs at work again by their folders; queue and history begin anew")
  }
}

extension JobSnapshot {
  /// Whether all step and update indices of the snapshot and the plan exist.
  fileprivate func fits(_ jobPlan: JobPlan) -> Bool {
    let steps = jobPlan.steps.indices
    let named =
      updateSteps.compactMap(\.self) + jobPlan.requests.compactMap(\.step) + jobPlan.archives.keys
      + [currentStepIndex].compactMap(\.self)
    return (plan?.count ?? steps.count) == steps.count && updateSteps.count == updates.count
      && named.allSatisfy(steps.contains)
      && currentUpdateIndex.map(updates.indices.contains) ?? true
  }
}

import Glibc
package import InstallJobs
import JobJournal
import Logging
import PackageProvider

extension Engine {
  /// Finds the jobs that an earlier engine left, follows what still works, settles what does not,
  /// and begins with the queue (promise 1, rows B29, N3).
  ///
  /// - Throws: A fault of the journal.
  package func start() async throws(InstallationError) {
    try readmitJobsFromFolders()
    try await archives.sweep { [journal] () throws(InstallationError) in
      // A job that is over may be asked for once more until it is cleaned up.
      var needed: Set<String> = []
      for job in try journal.jobs() {
        needed.formUnion(try journal.request(of: job.id).updates.compactMap(\.archive?.sha256))
      }
      return needed
    }
    // An engine that was killed right after it had recorded such an end has not marked the folder.
    for job in try journal.jobs(in: [.interrupted]) {
      JobFolder(of: job.id, inState: settings.stateFolder).markSettled()
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
      remember(LiveJob(machine, request, by: snapshot.requestedBy))
      let isStopOpen = try !hasWithdrawnStopInTime(id, request.options)
      await recover(id, offsets: try journal.offsets(of: id))
      // Behind what the work itself knows of a stop.
      if isStopOpen, live[id] != nil { stopInTime(id, request.options) }
    }
    do throws(InstallationError) {
      publish(
        try journal.append(
          [EventDraft(nil, .engine(EngineNotice(.started, "the engine started")))], offsets: [:],
          at: settings.now()))
    } catch {
      // Looking, aborting and cleaning up need no record of the start.
      guard journal.lacksRoom(error) else { throw error }
      logger.critical("cannot record the start: \(error)")
    }
    // The reserve takes no room from the record of the start.
    journal.reserve?.make()
    schedule()
    removeOldLater()
    let engine = self
    Task { await engine.verifyAfterReboot() }
  }

  private func recover(_ id: JobID, offsets: StreamOffsets) async {
    guard let job = live[id] else { return }
    switch job.machine.state {
    case .queued, .held:
      guard hasStarted(id) else { return enqueue(id) }
      // The engine died between starting the worker and noting it: the worker is what counts.
      queue.occupy(id)
      live[id]?.rehearsed.change { $0.assumeStarting() }
      // Where that cannot be recorded, it is followed all the same.
      if (try? feed(.started, to: id)) == nil { live[id]?.rehearsed.change { $0.assumeStarted() } }
      await followAgain(id, offsets: offsets)
    case .starting, .working:
      queue.occupy(id)
      await followAgain(id, offsets: offsets)
    case .suspended:
      queue.occupy(id)
      guard hasUnreadWork(id, offsets) else {
        // Let go on, and the engine died before its work was begun.
        if job.machine.snapshot.waitingFor == nil { _ = try? feed(.resume, to: id) }
        resumeAfterShutdown(id)
        return
      }
      // The same, with a job that was being resumed.
      live[id]?.rehearsed.change { $0.assumeStarted() }
      await followAgain(id, offsets: offsets)
    case .verifying:
      queue.occupy(id)
      verify(id)
    case .ended:
      forget(id, of: job.requestedBy)
    }
  }

  private func followAgain(_ id: JobID, offsets: StreamOffsets) async {
    guard let job = live[id] else { return }
    logger.info("following the work of an earlier engine", metadata: ["job": "\(id)"])
    if JobFolder(of: id, inState: settings.stateFolder).isOfEarlierBoot {
      live[id]?.rehearsed.change { $0.wasCutByRestart = true }
    }
    let run = await provider.follow(work(of: id, job), from: offsets)
    live[id]?.run = run
    await applyPendingStop(of: id, from: run)
    follow(run, of: id)
  }

  /// Whether the job's folder has more than what was read when the job was suspended.
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
  /// Two records of a job that cannot both be true: no check of the file finds that.
  private static func contradiction(of id: JobID) -> InstallationError {
    InstallationError(
      .journal, "the journal's records of job \(id) contradict each other", class: .fatal,
      hint: "stop the engine, move journal.sqlite with its -wal and -shm to a safe place, and start"
        + " the engine: it finds jobs at work again by their folders; queue and history begin anew")
  }
}

extension JobSnapshot {
  /// Whether every index in it, and in the plan, is one of the plan's.
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

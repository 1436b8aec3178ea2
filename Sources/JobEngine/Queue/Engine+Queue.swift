import HostSystem
package import InstallJobs
import JobJournal
import PackageProvider

// Requests that pause, resume or move jobs, and that pause or resume the queue. Each one is stored
// in the journal before it takes effect.
extension Engine {
  /// Pauses a job (row B28): a working job stops between two packages, a waiting job keeps its
  /// place in the queue.
  package func suspend(_ id: JobID, by requester: Requester) async throws(InstallationError) {
    let gate = try await lockGate(of: id)
    defer { gate.release() }
    try refuseIfOver(id)
    var actions = try requestStop(.suspend(by: requester), of: id)
    for case .askStop(let request) in actions {
      guard let run = live[id]?.run else { break }
      let answer = await run.requestStop(request, at: settings.now(), under: gate)
      actions = try handle(answer, as: .suspendAnswered(answer, by: requester), of: id)
      break
    }
    try throwRefusal(in: actions)
    updateQueuedPause(id)
  }

  /// Resumes a paused job (row B28).
  package func resume(_ id: JobID, by requester: Requester) async throws(InstallationError) {
    let gate = try await lockGate(of: id)
    defer { gate.release() }
    try refuseWhileShuttingDown(id)
    guard live[id] != nil else {
      _ = try await job(id)
      throw InstallationError(.cannotResume, "job \(id) is over, it is not paused", class: .fatal)
    }
    try refuse(under: gate)
    do throws(InstallationError) {
      try throwRefusal(
        in: try await cancelStop(in: try dispatch(.resume, to: id), of: id, under: gate))
    } catch {
      guard error.code == .cannotResume, queue.requestedPause != nil,
        queue.contains(id)
      else { throw error }
      var error = error
      error.hint = "it waits because the whole queue is paused"
      throw error
    }
    updateQueuedPause(id)
  }

  /// Updates the queue after a waiting job was paused or resumed.
  private func updateQueuedPause(_ id: JobID) {
    guard queue.contains(id) else { return }
    queue.setPaused(id, live[id]?.machine.state == .paused)
    schedule()
    notifyIfIdle()
  }

  /// Moves a waiting job to another place in the queue.
  ///
  /// - Returns: The job in its new place.
  /// - Throws: `invalidState` for a job that has begun, and when no priority leads to that place;
  ///   `invalidArgument` for a priority outside -100...100.
  package func move(
    _ id: JobID, to place: QueueMove, by requester: Requester
  ) async throws(InstallationError) -> JobSnapshot {
    try await waitUntilStarted(id)
    try refuseIfOver(id)
    // Refuses a job that cannot be moved before it computes the new priority.
    let own = live[id]?.machine.snapshot.options.priority ?? 0
    try throwRefusal(in: try dispatch(.prioritize(own, by: requester), to: id))
    let priority = try queue.priority(bringing: id, to: place)
    try throwRefusal(in: try dispatch(.prioritize(priority, by: requester), to: id))
    queue.move(id, to: priority)
    schedule()
    return try await job(id)
  }

  /// Pauses the queue until ``resumeQueue(by:)``, also under the next engine; the working job
  /// continues to its end.
  ///
  /// - Returns: The queue's status. For a queue that is already paused, the first pause remains.
  /// - Throws: `journal`; nothing has changed then.
  package func pauseQueue(by requester: Requester) throws(InstallationError) -> QueueStatus {
    guard queue.requestedPause == nil else { return queueStatus(hasChanged: false) }
    let pause = QueuePause(.request, by: requester, since: settings.now())
    try publish(EngineNotice(paused: pause), at: pause.since)
    queue.pause(pause)
    schedule()
    notifyIfIdle()
    return queueStatus()
  }

  /// Resumes the queue.
  ///
  /// - Throws: `cannotResume` when no user has paused the queue; `journal`.
  package func resumeQueue(by requester: Requester) throws(InstallationError) -> QueueStatus {
    guard queue.requestedPause != nil else {
      let reason = queue.pause.map { ": \($0.message)" } ?? ""
      throw InstallationError(
        .cannotResume, "nobody has paused the queue" + reason, class: .fatal,
        hint: queue.pause == nil ? nil : "jobs begin by themselves when that is over")
    }
    var after = queue
    after.resume(.request)
    try publish(EngineNotice(resumedBy: requester, pause: after.pause), at: settings.now())
    queue.resume(.request)
    schedule()
    return queueStatus()
  }

  /// Asks the lock holder to yield; see ``InstallJobs/InstallationBackend/askLockHolderToYield()``.
  package func askLockHolderToYield() async throws(InstallationError) -> LockHolder {
    // This engine's own worker holds the lock: its job can be aborted or paused by its number.
    if let job = queue.running, let state = live[job]?.machine.snapshot.state,
      state != .waitingForLock, state != .downloading
    {
      throw InstallationError(
        .invalidState, "nobody else holds the package lock: job \(job) is at work",
        class: .transient)
    }
    try await refuseIfLockIsOurs()
    let provider = provider
    return try await providerThreads.run { () async throws(InstallationError) in
      try await provider.askLockHolderToYield()
    }
  }

  /// Refuses the request when this engine's own worker holds the front ends' lock and waits for a
  /// dpkg whose front end is gone; dpkg cannot be asked to yield.
  private func refuseIfLockIsOurs() async throws(InstallationError) {
    guard let job = queue.running,
      let worker = JobFolder(of: job, inState: settings.stateFolder).worker,
      await lockHolder()?.pid == worker
    else { return }
    let holder = live[job]?.machine.snapshot.waitingFor?.holder
    let other = holder.flatMap { $0.pid == worker ? nil : $0 }
    let who = other.map { "\($0.command ?? "a process") (pid \($0.pid)), which cannot be asked" }
    throw InstallationError(
      .invalidState,
      "job \(job) has the package lock and waits for \(who ?? "the lock of the package database")",
      class: .transient, hint: "the job goes on by itself when that lock is free")
  }

  /// The foreign process that keeps the package lock from the working job, or from the next one.
  ///
  /// - Parameter holder: The present holder of the lock: this engine's own worker or another
  ///   process.
  /// - Returns: The foreign process; nil when there is none.
  func foreignHolder(_ holder: LockHolder?) -> LockHolder? {
    guard let job = queue.running else { return holder }
    guard let snapshot = live[job]?.machine.snapshot,
      [.queued, .downloading, .waitingForLock, .suspended, .finalizing].contains(snapshot.state)
    else { return nil }
    let worker = JobFolder(of: job, inState: settings.stateFolder).worker
    guard let holder, holder.pid == worker else { return holder }
    // The worker holds the front ends' lock and waits for a dpkg whose front end is gone.
    return snapshot.waitingFor?.holder.flatMap { $0.pid == worker ? nil : $0 }
  }

  /// The working job's present work, for a checkup of the machine; nil when no job is at work.
  func presentWork() async -> PresentWork? {
    let holder = foreignHolder(await lockHolder())
    guard let job = queue.running, let machine = live[job]?.machine else { return nil }
    let snapshot = machine.snapshot
    var packages = JobFolder(of: job, inState: settings.stateFolder).packagesInDpkgStatus
    packages.formUnion(machine.plan.steps.map(\.name))
    // Packages that were half-configured before the job started remain the checkup's findings until
    // they are configured; apt configures them along with any requested package.
    if snapshot.operation != .repair {
      for (step, status) in zip(machine.plan.steps, snapshot.plan ?? [])
      where step.action == .configure && (status.phase < .configuring || status.error != nil) {
        packages.remove(step.name)
      }
    }
    return PresentWork(
      job: job, waitsForLock: snapshot.state == .waitingForLock, holder: holder,
      packages: packages)
  }

  private func publish(_ notice: EngineNotice, at time: Timestamp) throws(InstallationError) {
    publish(try journal.append([EventDraft(nil, .engine(notice))], offsets: [:], at: time))
    noteWritten()
  }

  /// Publishes a pause that the engine itself made, or its end, if that changes the cause of the
  /// queue's pause.
  ///
  /// The notice is not stored.
  ///
  /// - Parameter before: The queue's pause before the change.
  func publishPause(since before: QueuePause?) {
    guard queue.pause != before else { return }
    let notice: EngineNotice
    if let before, before.cause != .request, queue.pause?.cause != .journal {
      notice = EngineNotice(over: before.cause, pause: queue.pause)
    } else if let pause = queue.pause, pause.cause != .request {
      notice = EngineNotice(paused: pause)
    } else {
      return
    }
    publish([
      JobEvent(seq: journal.lastSeq, at: settings.now(), job: nil, payload: .engine(notice))
    ])
  }

  /// Ends the queue's journal pause after a successful write, which shows that the journal is
  /// writable.
  func noteWritten() {
    guard roomShortage == nil else { return waitForRoom() }
    let before = queue.pause
    guard queue.resume(.journal) != nil else { return }
    publishPause(since: before)
  }

  /// The queue's figures for ``EngineStatus``.
  var queueFigures: EngineStatus.Queue {
    var figures = EngineStatus.Queue(
      running: queue.running == nil ? 0 : 1, queued: queue.entries.count,
      held: queue.entries.count { $0.isPaused }, paused: queue.pause != nil, pause: queue.pause)
    figures.fetchesAhead = fetchesAhead
    return figures
  }

  private func queueStatus(hasChanged: Bool = true) -> QueueStatus {
    let state = queue.running.flatMap { live[$0]?.machine.snapshot.state }
    return QueueStatus(
      queue: queueFigures, runningJob: queue.running, runningState: state, hasChanged: hasChanged)
  }
}

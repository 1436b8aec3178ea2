import HostSystem
import InstallJobs
import JobJournal
import Logging
import PackageProvider

extension Engine {
  /// The data that the provider needs for a job's work.
  func work(of id: JobID, _ job: LiveJob, finishedSteps: Set<Int> = []) -> JobWork {
    JobWork(
      id: id, request: job.request, plan: job.machine.plan,
      folder: JobFolder(of: id, inState: settings.stateFolder),
      archiveStore: settings.stateFolder + "/archives", finishedSteps: finishedSteps,
      configuringSeconds: job.configuringSeconds, requester: job.requestedBy.uid)
  }

  /// Starts a job's work and follows it.
  func startWork(_ id: JobID, finishedSteps: Set<Int>) {
    guard let job = live[id] else { return }
    let work = work(of: id, job, finishedSteps: finishedSteps)
    let (provider, threads) = (provider, providerThreads)
    let isFetching = aheadFetches.task(of: id) != nil
    live[id]?.starts += 1
    live[id]?.starting = Task { [weak self] in
      let (marker, start) = await threads.run {
        () async -> (RebootMarker, Result<any JobRun, InstallationError>) in
        let marker = await provider.rebootReasons()
        do throws(InstallationError) {
          return (marker, .success(try await provider.start(work)))
        } catch { return (marker, .failure(error)) }
      }
      await self?.workStarted(id, start, marker: marker, isFetching: isFetching)
    }
  }

  private func workStarted(
    _ id: JobID, _ start: Result<any JobRun, InstallationError>, marker: RebootMarker,
    isFetching: Bool
  ) async {
    // The marker from before the job's first start counts, not the marker from before a resume.
    if live[id]?.machine.snapshot.startedAt == nil { live[id]?.marker = marker }
    await retryUntilStored("the start", of: id) { engine throws(InstallationError) in
      switch start {
      case .success(let run):
        engine.live[id]?.run = run
        if run.foundArchives || isFetching {
          engine.live[id]?.transactionalMachine.change { $0.stopwatch.noteArchives() }
        }
        try engine.dispatch(.started, to: id)
        if !run.satisfiedSteps.isEmpty {
          engine.noteSatisfied(run.satisfiedSteps, of: id)
        }
        engine.follow(run, of: id)
      case .failure(let error):
        try engine.dispatch(.startFailed(error), to: id)
      }
    }
    live[id]?.starting = nil
    notifyShutdownWaiters()
  }

  /// Records which steps the machine satisfied before the work began.
  ///
  /// An error is logged; the started job continues.
  private func noteSatisfied(_ steps: Set<Int>, of id: JobID) {
    do {
      _ = try dispatch(.satisfied(steps), to: id)
    } catch {
      logger.error("job \(id) does not tell what was there before its work: \(error)")
    }
  }

  /// Calls `body`, which writes to the journal, every second until it succeeds, the job is gone or
  /// the engine has ended.
  func retryUntilStored(
    _ what: String, of id: JobID, _ body: (isolated Engine) throws(InstallationError) -> Void
  ) async {
    var loggedError: InstallationError?
    while live[id] != nil, !hasEnded {
      do {
        return try body(self)
      } catch {
        if error != loggedError { logger.critical("cannot record \(what) of job \(id): \(error)") }
        loggedError = error
        // Clients must see that the displayed state is not up to date.
        let before = queue.pause
        let since = queue.journalPause?.since ?? settings.now()
        queue.pause(QueuePause(.journal, since: since, detail: error.message))
        publishPause(since: before)
        notifyIfStateIsGone()
        do { try await settings.clock.sleep(for: .seconds(1)) } catch { return }
      }
    }
  }

  /// Follows a run to its end.
  func follow(_ run: any JobRun, of id: JobID) {
    watchForSilence(id)
    let inbox = BatchInbox()
    let pump = Task {
      for await batch in run.batches { inbox.put(batch) }
      inbox.close()
    }
    Task { [weak self] in
      defer { pump.cancel() }
      while let batch = await inbox.next() {
        guard let self else { return }
        await self.apply(batch, of: id)
      }
      await self?.dropRun(of: id)
    }
  }

  /// Removes the run of a suspended job.
  private func dropRun(of id: JobID) {
    guard live[id]?.machine.state == .suspended else { return }
    live[id]?.run = nil
    resumeAfterShutdown(id)
  }

  /// Applies a batch of reports.
  ///
  /// Retries while the journal is not writable; the job's files keep everything that a restarted
  /// engine needs.
  private func apply(_ batch: WorkBatch, of id: JobID) async {
    var preview: StopAnswer?
    if batch.reports.contains(where: \.changesStopPreview), let run = live[id]?.run {
      preview = await run.previewStop()
    }
    for case .log(let length) in batch.reports { live[id]?.logLength = length }
    let input = JobMachine.Input.reports(batch.reports, preview: preview)
    await retryUntilStored("the reports", of: id) { engine throws(InstallationError) in
      try engine.dispatch(input, to: id, offsets: batch.offsets)
    }
    for case .log(let length) in batch.reports { publishLog(of: id, upTo: length) }
    for case .stage in batch.reports { fetchAhead() }
  }

  private func publishLog(of id: JobID, upTo length: Int64) {
    guard !subscribers.isEmpty, let start = live[id]?.publishedLog, length > start else {
      live[id]?.publishedLog = length
      return
    }
    live[id]?.publishedLog = length
    let path = JobFolder(of: id, inState: settings.stateFolder).path(.log)
    let from = max(start, length - LogChunk.limit)
    guard let chunk = LogChunk.read(path, from: from, limit: LogChunk.limit) else { return }
    let event = JobEvent(
      seq: journal.lastSeq, at: settings.now(), job: id,
      payload: .log(offset: chunk.offset, text: chunk.text))
    publish([event])
  }

  // MARK: Verification

  /// Checks the package database, or the archives of a download-only job, and passes the findings
  /// to the job's machine.
  func verify(_ id: JobID) {
    guard let job = live[id] else { return }
    if job.machine.isDownloadOnly { return checkArchives(of: id, job) }
    let (provider, threads) = (provider, providerThreads)
    let plan = job.machine.plan
    Task { [weak self] in
      let (verification, marker) = await threads.run { () async -> (Verification, RebootMarker) in
        (await provider.verify(plan), await provider.rebootReasons())
      }
      await self?.verified(id, verification, marker: marker)
    }
  }

  private func verified(_ id: JobID, _ verification: Verification, marker: RebootMarker) async {
    await retryUntilStored("the end", of: id) { engine throws(InstallationError) in
      let before = engine.live[id]?.marker
      try engine.dispatch(.verified(verification, before: before, after: marker), to: id)
    }
  }

  private func checkArchives(of id: JobID, _ job: LiveJob) {
    let (provider, threads, work) = (provider, providerThreads, work(of: id, job))
    Task { [weak self] in
      let findings = await threads.run { () async -> [Int: ArchiveFinding] in
        await provider.checkArchives(of: work)
      }
      await self?.checked(id, findings)
    }
  }

  private func checked(_ id: JobID, _ findings: [Int: ArchiveFinding]) async {
    await retryUntilStored("the end", of: id) { engine throws(InstallationError) in
      try engine.dispatch(.archivesChecked(findings), to: id)
    }
  }

  // MARK: Silence

  /// Watches a working job's signs of life: one timer per stall threshold.
  private func watchForSilence(_ id: JobID) {
    guard let machine = live[id]?.machine else { return }
    scheduleCheck(
      afterSilenceOf: id, since: Self.lastSign(of: machine), in: settings.stallThreshold.seconds)
  }

  private func scheduleCheck(afterSilenceOf id: JobID, since sign: Timestamp, in seconds: Double) {
    let timer = timer(after: seconds) { engine in await engine.checkForSilence(id, since: sign) }
    live[id]?.silenceTimer?.cancel()
    live[id]?.silenceTimer = timer
  }

  /// Reports silence if the last sign of life is still the one known when this check was scheduled.
  ///
  /// The length of the silence is measured by the timer and not by the times of the signs, because
  /// the machine's clock may have been set.
  private func checkForSilence(_ id: JobID, since known: Timestamp) async {
    guard let last = lastSign(of: id) else { return }
    let threshold = settings.stallThreshold.seconds
    guard last == known else {
      let age = settings.now().seconds(since: last)
      // The sign came during the timer, so any other age means that the clock was set.
      let isReal = age > 0 && age < threshold
      return scheduleCheck(
        afterSilenceOf: id, since: last, in: isReal ? threshold - age : threshold)
    }
    let cause = await stallCause(of: id)
    // A sign of life may have come meanwhile.
    guard let now = lastSign(of: id) else { return }
    if now == known { _ = try? dispatch(.silence(cause), to: id) }
    scheduleCheck(afterSilenceOf: id, since: now, in: threshold)
  }

  /// The time of a working job's last sign of life; nil for a job that is not working.
  private func lastSign(of id: JobID) -> Timestamp? {
    guard let machine = live[id]?.machine, case .working = machine.state else { return nil }
    return Self.lastSign(of: machine)
  }

  private static func lastSign(of machine: JobMachine) -> Timestamp {
    let snapshot = machine.snapshot
    return snapshot.lastActivityAt ?? snapshot.startedAt ?? snapshot.submittedAt
  }

  private func stallCause(of id: JobID) async -> StallCause? {
    guard let job = live[id], case .working(let stage, _) = job.machine.state else { return nil }
    switch stage {
    case .downloading:
      return StallCause(.network, "no bytes arrive: the source or the network is slow or gone")
    case .waitingForLock(let holder):
      let who = holder.map { "\($0.command ?? "a process") (pid \($0.pid))" } ?? "another process"
      return StallCause(
        .lock, "\(who) holds the package lock", pid: holder?.pid, command: holder?.command)
    case .installing: return await job.run?.stallCause()
    }
  }
}

extension WorkReport {
  /// Whether the work's answer to a request to stop may change with this report.
  fileprivate var changesStopPreview: Bool {
    switch self {
    case .stage, .phase, .failed, .abandoned: true
    case .downloaded, .fraction, .trigger, .holderProgress, .log, .alive, .remark, .ended, .lost,
      .conffile:
      false
    }
  }
}

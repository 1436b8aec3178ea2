package import InstallJobs

// The status of a mock engine, its queue, and the machine that it pretends to have.
extension MockEngine {
  package func pauseQueue() throws(InstallationError) -> QueueStatus {
    if let connectionError { throw connectionError }
    let isNew = pause == nil
    if isNew {
      let requester = Requester(uid: 1000, user: "tester")
      let pause = QueuePause(.request, by: requester, since: MockJob.time)
      self.pause = pause
      publish(.engine(EngineNotice(paused: pause)), of: nil)
    }
    return queueStatus(isNew)
  }

  package func resumeQueue() throws(InstallationError) -> QueueStatus {
    if let connectionError { throw connectionError }
    guard pause != nil else {
      throw InstallationError(.cannotResume, "the queue is not paused", class: .fatal)
    }
    pause = nil
    publish(
      .engine(EngineNotice(resumedBy: Requester(uid: 1000, user: "tester"))), of: nil)
    runJobs()
    return queueStatus(true)
  }

  private func queueStatus(_ hasChanged: Bool) -> QueueStatus {
    let running = jobs.first { $0.isAtWork }?.snapshot
    return QueueStatus(
      queue: queueCounts, runningJob: running?.id, runningState: running?.state,
      hasChanged: hasChanged)
  }

  private var queueCounts: EngineStatus.Queue {
    let waiting = jobs.filter { $0.snapshot.state == .queued }
    return EngineStatus.Queue(
      running: jobs.count { $0.isAtWork }, queued: waiting.count,
      held: waiting.count { $0.snapshot.isPaused }, paused: pause != nil, pause: pause)
  }

  package func askLockHolderToYield() throws(InstallationError) -> LockHolder {
    throw connectionError
      ?? InstallationError(.invalidState, "nobody holds the package lock", class: .fatal)
  }

  package func upgradableUpdates() throws(InstallationError) -> [PlannedUpdate] {
    if let connectionError { throw connectionError }
    return MockPlan(packages: packages, installed: installed).upgradable
  }

  package func search(
    _ criteria: UpdateCriteria
  ) throws(InstallationError) -> UpdateSearchResult {
    if let connectionError { throw connectionError }
    let names = Set(packages.keys).union(installed.keys).sorted()
    let found = names.filter { criteria.includes(name: $0) }.map { name in
      let version = packages[name]?.version ?? installed[name] ?? "1.0"
      var details = UpdateDetails(name: name, version: version, architecture: "amd64")
      details.isCandidate = true
      details.presence.installedVersion = installed[name]
      return details
    }
    return criteria.answer(found.filter { criteria.includes($0) && criteria.hasWords(of: $0) })
  }

  package func systemInformation() throws(InstallationError) -> SystemInformation {
    let status = try status()
    var information = SystemInformation(
      engineVersion: status.engine.version, provider: status.engine.provider,
      root: status.engine.root, requiresReboot: status.requiresReboot,
      rebootReasons: status.rebootReasons, pause: status.queue.pause)
    if let job = status.runningJob { information.servicing.append(.job(job)) }
    let isInstalled = jobs.contains { job in
      job.snapshot.resultCode == .succeeded && job.snapshot.operation.kind == .installation
        && job.snapshot.planCount > 0
    }
    if isInstalled { information.lastInstalledAt = MockJob.time }
    return information
  }

  package func status() throws(InstallationError) -> EngineStatus {
    if let connectionError { throw connectionError }
    let reasons = jobs.flatMap(\.snapshot.rebootReasons)
    return EngineStatus(
      engine: EngineStatus.Engine(
        pid: 1, version: "mock", startedAt: MockJob.time, root: "/", provider: "mock"),
      queue: queueCounts, lock: nil, runningJob: jobs.first { $0.isAtWork }?.snapshot.id,
      requiresReboot: !reasons.isEmpty, rebootReasons: reasons, seq: journal.count,
      time: MockJob.time)
  }

  package func mark(_ mark: PackageMark, _ updates: [Update]) throws(InstallationError) {
    if let connectionError { throw connectionError }
  }

  package func refresh() throws(InstallationError) {
    if let connectionError { throw connectionError }
  }

  package func checkup() throws(InstallationError) -> Checkup {
    if let connectionError { throw connectionError }
    return Checkup(root: "/", findings: [])
  }

  package func auditPage(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) throws(InstallationError) -> [AuditRecord] {
    if let connectionError { throw connectionError }
    return []
  }

  package func log(
    of id: JobID, from offset: Int64, limit: Int
  ) throws(InstallationError) -> LogPiece {
    _ = try job(id)
    return LogPiece(offset: 0, text: "", next: 0, length: 0)
  }

  package func upload(
    _ bytes: [UInt8], at offset: Int64, of archive: LocalArchive
  ) throws(InstallationError) -> Update? {
    if let connectionError { throw connectionError }
    guard offset + Int64(bytes.count) >= archive.size else { return nil }
    let name = archive.fileName.prefix { $0 != "_" && $0 != "." }
    return Update(String(name), version: "1.0", archive: archive)
  }

  // MARK: Events

  package func events(
    of id: JobID, after seq: Int
  ) throws(InstallationError) -> RecordedEvents {
    _ = try job(id)
    return RecordedEvents(events: journal.filter { $0.job == id && $0.seq > seq })
  }

  package func events(
    _ selection: EventSelection
  ) throws(InstallationError) -> EngineEvents {
    try events(selection, for: nil)
  }

  /// Follows the events for a session, at most until the session is closed.
  func events(
    _ selection: EventSelection, for session: MockSession?
  ) throws(InstallationError) -> EngineEvents {
    if let connectionError { throw connectionError }
    var first: [EngineEvents.Element]
    if let after = selection.after {
      guard (0...journal.count).contains(after) else {
        throw InstallationError(
          .invalidArgument, "there is no event \(after): the last one is \(journal.count)",
          class: .fatal)
      }
      first = journal[after...].filter(selection.includes).map { .event($0) }
    } else {
      var rows: [JobSnapshot] = []
      for id in selection.jobs ?? jobs.map(\.snapshot.id) { rows.append(try job(id)) }
      if !selection.includesPlans { rows = rows.map(\.withoutPlan) }
      first = [.jobs(rows), .jobsEnd(seq: journal.count)]
    }
    let (stream, continuation) = AsyncStream.makeStream(of: [JobEvent].self)
    lastNumber += 1
    subscribers[lastNumber] = continuation
    owners[lastNumber] = session.map { ObjectIdentifier($0) }
    continuation.onTermination = { [number = lastNumber, weak self] _ in
      Task { await self?.removeSubscriber(number) }
    }
    return EngineEvents { [first] in StreamedEvents(first, then: stream, selection) }
  }

  package func connectionStates() -> AsyncStream<ConnectionState> { connectionStates(of: nil) }

  /// Returns the state of the connection for a session, at most until the session is closed.
  func connectionStates(of session: MockSession?) -> AsyncStream<ConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self)
    guard session?.isClosed != true else {
      continuation.yield(.closed)
      continuation.finish()
      return stream
    }
    continuation.yield(connectionError.map { .lost($0) } ?? .connected)
    lastNumber += 1
    listeners[lastNumber] = continuation
    owners[lastNumber] = session.map { ObjectIdentifier($0) }
    continuation.onTermination = { [number = lastNumber, weak self] _ in
      Task { await self?.removeListener(number) }
    }
    return stream
  }

  private func removeListener(_ number: Int) {
    listeners[number] = nil
    owners[number] = nil
  }

  private func removeSubscriber(_ number: Int) {
    subscribers[number] = nil
    owners[number] = nil
  }
}

package import InstallJobs

extension MockEngine: InstallationBackend {
  /// Whether the requester may act: always true.
  package nonisolated var mayAct: Bool { true }

  private static let requester = Requester(uid: 1000, user: "tester")

  private func checkConnection() throws(InstallationError) {
    if let connectionError { throw connectionError }
  }

  private func index(of id: JobID) throws(InstallationError) -> Int {
    try checkConnection()
    guard let index = jobs.firstIndex(where: { $0.snapshot.id == id }) else {
      throw InstallationError(.unknownJob, "there is no job \(id)", class: .fatal)
    }
    return index
  }

  package func submit(_ request: JobRequest) throws(InstallationError) -> JobSnapshot {
    let plan = try plan(request)
    if let token = request.options.token,
      let known = jobs.first(where: { $0.request.options.token == token })
    {
      guard known.request == request else {
        throw InstallationError(
          .invalidArgument, "the token '\(token)' stands for another request", class: .fatal)
      }
      return known.snapshot
    }
    if request.options.whenBusy == .fail,
      let job = jobs.first(where: { !$0.snapshot.state.isFinal })
    {
      throw InstallationError(
        .busy, "job \(job.snapshot.id) is not over", class: .transient, hint: "wait for its end")
    }
    let snapshot = JobSnapshot(
      id: JobID(jobs.count + 1), request: request, plan: plan, requestedBy: Self.requester,
      provider: "mock", submittedAt: MockJob.time)
    jobs.append(MockJob(snapshot, request))
    publish(.submitted(snapshot.withoutPlan), of: snapshot.id)
    runJobs()
    return snapshot
  }

  package func plan(_ request: JobRequest) throws(InstallationError) -> JobPlan {
    try checkConnection()
    if let refusal { throw refusal }
    let request = try request.validated()
    return MockPlan(packages: packages, installed: installed).plan(request)
  }

  package func jobs(in states: Set<JobState>?) throws(InstallationError) -> [JobSnapshot] {
    try checkConnection()
    return jobs.map(\.snapshot.withoutPlan).filter { states?.contains($0.state) ?? true }
  }

  package func job(_ id: JobID) throws(InstallationError) -> JobSnapshot {
    jobs[try index(of: id)].snapshot
  }

  package func request(of id: JobID) throws(InstallationError) -> JobRequest {
    jobs[try index(of: id)].request
  }

  package func historyPage(
    _ filter: HistoryFilter, after: JobID?, limit: Int
  ) throws(InstallationError) -> [JobSnapshot] {
    try checkConnection()
    let ended = jobs.map(\.snapshot).filter { job in
      job.state.isFinal
        && (filter.package.map { name in (job.plan ?? []).contains { $0.name == name } } ?? true)
        && (filter.user.map { $0 == job.requestedBy.user } ?? true)
        && (filter.results?.contains { $0.code == job.resultCode } ?? true)
    }
    let page = ended.reversed().drop { job in after.map { job.id >= $0 } ?? false }
    return page.prefix(max(0, limit)).map(\.withoutPlan)
  }

  package func snapshots(of id: JobID) -> JobSnapshots { snapshots(of: id, for: nil) }

  /// Follows a job for a session, at most until the session is closed.
  func snapshots(of id: JobID, for session: MockSession?) -> JobSnapshots {
    let (snapshots, source) = JobSnapshots.make()
    do throws(InstallationError) {
      if session?.isClosed == true { throw MockSession.closed }
      let snapshot = try job(id)
      source.yield(snapshot)
      guard !snapshot.state.isFinal else {
        source.finish()
        return snapshots
      }
    } catch {
      source.finish(throwing: error)
      return snapshots
    }
    lastNumber += 1
    readers[id, default: [:]][lastNumber] = source
    owners[lastNumber] = session.map { ObjectIdentifier($0) }
    source.onEnd { [number = lastNumber, weak self] in
      Task { await self?.removeReader(number, of: id) }
    }
    return snapshots
  }

  private func removeReader(_ number: Int, of id: JobID) {
    readers[id]?[number] = nil
    owners[number] = nil
  }

  // MARK: Actions

  package func requestAbort(of id: JobID) throws(InstallationError) -> AbortDisposition {
    let index = try index(of: id)
    let answer = jobs[index].abortAnswer
    guard jobs[index].snapshot.abort == nil, case .accepted = answer else { return answer }
    publish(
      .abortRequested(
        AbortRecord(
          requestedAt: MockJob.time, requestedBy: Self.requester, disposition: answer)), of: id)
    if jobs[index].snapshot.state == .queued {
      // A queued job leaves the queue at once.
      publish(jobs[index].nextEvent(in: packages), of: id)
    } else if jobs[index].isAtWork {
      publish(.state(JobStateChange(.stopping, abortPreview: answer)), of: id)
    }
    runJobs()
    return answer
  }

  package func withdrawAbort(of id: JobID) throws(InstallationError) {
    let index = try index(of: id)
    guard jobs[index].snapshot.abort != nil, !jobs[index].snapshot.state.isFinal else {
      throw InstallationError(
        .invalidState, "job \(id) has no abort that can be cancelled", class: .fatal)
    }
    publish(.abortWithdrawn(by: Self.requester), of: id)
    guard jobs[index].isAtWork else { return }
    let answer = jobs[index].abortAnswer
    publish(.state(JobStateChange(.installing, abortPreview: answer)), of: id)
  }

  package func suspend(_ id: JobID) throws(InstallationError) {
    let index = try index(of: id)
    let snapshot = jobs[index].snapshot
    guard !snapshot.state.isFinal else {
      throw InstallationError(.invalidState, "job \(id) is over", class: .fatal)
    }
    var reason = WaitReason(.paused, "paused by \(Self.requester.user)")
    reason.by = Self.requester
    publish(
      .state(
        JobStateChange(
          snapshot.state, waitingFor: reason, abortPreview: snapshot.abortPreview,
          currentUpdateIndex: snapshot.currentUpdateIndex,
          currentStepIndex: snapshot.currentStepIndex)), of: id)
  }

  package func resume(_ id: JobID) throws(InstallationError) {
    let index = try index(of: id)
    let snapshot = jobs[index].snapshot
    guard snapshot.isPaused, !snapshot.state.isFinal else {
      throw InstallationError(.cannotResume, "job \(id) is not paused", class: .fatal)
    }
    let state = snapshot.state == .suspended ? .installing : snapshot.state
    publish(
      .state(
        JobStateChange(
          state, abortPreview: snapshot.abortPreview,
          currentUpdateIndex: snapshot.currentUpdateIndex,
          currentStepIndex: snapshot.currentStepIndex)), of: id)
    runJobs()
  }

  package func move(
    _ id: JobID, to place: QueueMove
  ) throws(InstallationError) -> JobSnapshot {
    let index = try index(of: id)
    let snapshot = jobs[index].snapshot
    guard snapshot.state == .queued else {
      throw InstallationError(.invalidState, "job \(id) has begun", class: .fatal)
    }
    let others = jobs.map(\.snapshot).filter { $0.state == .queued && $0.id != id }
      .map(\.options.priority)
    let priority =
      switch place {
      case .first: (others.max() ?? 0) + 1
      case .last: (others.min() ?? 0) - 1
      case .priority(let priority): priority
      }
    guard (-100...100).contains(priority) else {
      throw InstallationError(
        .invalidArgument, "priority \(priority) is outside -100...100", class: .fatal)
    }
    var change = JobStateChange(
      .queued, waitingFor: snapshot.waitingFor, abortPreview: snapshot.abortPreview)
    change.priority = priority
    publish(.state(change), of: id)
    return jobs[index].snapshot
  }

  package func cleanUp(_ id: JobID) throws(InstallationError) {
    let snapshot = try job(id)
    guard snapshot.state.isFinal else {
      throw InstallationError(
        .invalidState, "job \(id) is not over", class: .transient, hint: "wait for its end")
    }
    guard !snapshot.isCleanedUp else { return }
    publish(.cleanedUp(by: Self.requester), of: id)
  }
}

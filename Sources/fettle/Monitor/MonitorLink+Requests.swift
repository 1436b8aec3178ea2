import InstallJobs
import JobClient
import Monitor

// The monitor's requests to its engine.
extension MonitorLink {
  /// Performs an intent that concerns the engine; ignores intents for the terminal.
  func perform(_ intent: Intent) async {
    switch intent {
    case .requestAbort(let ids): await abort(ids)
    case .cancelAbort(let id): await cancelAbort(id)
    case .cleanUp(let ids): await cleanUp(ids)
    case .pauseJob(let id): await pauseJob(id)
    case .resumeJob(let id): await resumeJob(id)
    case .pauseQueue: await setQueue(goingOn: false)
    case .resumeQueue: await setQueue(goingOn: true)
    case .askToYield: await askToYield()
    case .move(let id, let place): await move(id, place)
    case .retry(let id): await retry(id)
    case .plan(let request): await plan(request)
    case .submit(let request): await submit(request)
    case .fetchUpgradable: await fetchUpgradable()
    case .fetchPlan(let id): await fetchPlan(id)
    case .fetchHistory(let after): await fetchHistory(after: after)
    case .fetchLog(let id, let from): await fetchLog(id, from: from)
    case .fetchRecording(let request): read(request)
    case .dropRecording(let request): drop(request)
    case .fetchRecordedLog(let request, let from): await publishLog(request, from: from)
    case .reconnect: await reconnectNow()
    case .quit, .suspend, .repaint, .discardInput, .copy, .useTheme, .useMouse, .keep, .ringBell:
      break
    }
  }

  /// Requests the abort of each job and publishes the answers.
  func abort(_ ids: [JobID]) async {
    for id in ids {
      await sendRequest(id) { session throws(InstallationError) in
        let answer = try await session.requestAbort(of: id)
        return .abortAnswer(id, answer)
      }
    }
  }

  func cancelAbort(_ id: JobID) async {
    await sendRequest(id, .cancelAbort(id)) { session throws(InstallationError) in
      try await session.withdrawAbort(of: id)
      return nil
    }
  }

  func cleanUp(_ ids: [JobID]) async {
    for id in ids {
      await sendRequest(id, .cleanUp(id)) { session throws(InstallationError) in
        try await session.cleanUp(id)
        return nil
      }
    }
  }

  /// Pauses or resumes the queue.
  ///
  /// The engine's notice publishes the new status to all clients.
  private func setQueue(goingOn: Bool) async {
    let command: EngineCommand = goingOn ? .resumeQueue : .pauseQueue
    do throws(InstallationError) {
      let session = try requireSession()
      _ = try await watched(
        session,
        { () async throws(InstallationError) in
          goingOn ? try await session.resumeQueue() : try await session.pauseQueue()
        })
      mailbox.post(.answered(command))
    } catch {
      mailbox.post(.failed(error, of: command))
    }
  }

  /// Asks the lock holder to yield, and publishes its identity.
  private func askToYield() async {
    do throws(InstallationError) {
      let session = try requireSession()
      let holder = try await watched(
        session,
        { () async throws(InstallationError) in try await session.askLockHolderToYield() })
      mailbox.post(.yieldAnswer(holder))
    } catch {
      mailbox.post(.failed(error, of: .yield))
    }
  }

  /// Moves a job in the queue.
  func move(_ id: JobID, _ place: QueueMove) async {
    await sendRequest(id, .move(id, place)) { session throws(InstallationError) in
      _ = try await session.move(id, to: place)
      return nil
    }
  }

  /// Pauses a job; a running job pauses before its next package.
  func pauseJob(_ id: JobID) async {
    await sendRequest(id, .pauseJob(id)) { session throws(InstallationError) in
      try await session.suspend(id)
      return nil
    }
  }

  /// Resumes a paused job.
  func resumeJob(_ id: JobID) async {
    await sendRequest(id, .resumeJob(id)) { session throws(InstallationError) in
      try await session.resume(id)
      return nil
    }
  }

  /// Submits a new job with the updates of an ended job that did not succeed.
  func retry(_ id: JobID) async {
    await sendRequest(id, .retry(id), isQuick: false) { session throws(InstallationError) in
      .submitted(try await session.submit(try await session.retryRequest(of: id)), of: nil)
    }
  }

  /// Fetches the plan of a request.
  func plan(_ request: JobRequest) async {
    do throws(InstallationError) {
      mailbox.post(.planned(request, try await requireSession().plan(request)))
    } catch {
      mailbox.post(.refused(request, error))
    }
  }

  /// Submits a job.
  func submit(_ request: JobRequest) async {
    do throws(InstallationError) {
      mailbox.post(.submitted(try await requireSession().submit(request), of: request))
    } catch {
      mailbox.post(.refused(request, error))
    }
  }

  /// Fetches the packages that can be upgraded.
  func fetchUpgradable() async {
    do throws(InstallationError) {
      mailbox.post(.upgradable(try await requireSession().upgradableUpdates()))
    } catch {
      mailbox.post(.failed(error))
    }
  }

  /// Fetches a page of ended jobs.
  func fetchHistory(after: JobID?) async {
    do throws(InstallationError) {
      let session = try requireSession()
      let page = try await watched(
        session, asksAgain: true,
        { () async throws(InstallationError) in
          try await session.historyPage(after: after, limit: PastJobs.page)
        })
      let isWhole = page.count < PastJobs.page
      mailbox.post(.past(page, isWhole: isWhole))
    } catch {
      mailbox.post(.failed(error))
    }
  }

  func fetchPlan(_ id: JobID) async {
    await sendRequest(id, isReading: true) { session throws(InstallationError) in
      let job = try await session.snapshot(of: id)
      return .plan(id, job.plan ?? [])
    }
  }

  /// Fetches a piece of the log; the last 64 KiB when `from` is nil.
  func fetchLog(_ id: JobID, from: Int64?) async {
    await sendRequest(id, isReading: true) { session throws(InstallationError) in
      var start = from ?? 0
      if from == nil {
        let length = try await session.log(of: id, from: .max, limit: 1).length
        start = max(0, length - 65_536)
      }
      let piece = try await session.log(of: id, from: start)
      return .logChunk(id, offset: piece.offset, text: piece.text)
    }
  }

  /// Sends a request about a job and publishes the answer.
  ///
  /// - Parameters:
  ///   - id: The job.
  ///   - command: The command to report as answered, where success is the whole answer.
  ///   - isQuick: Whether silence means a fault; false for a plan, which takes its time.
  ///   - isReading: Whether the request only reads, so that a failure does not answer a pending
  ///     command.
  ///   - body: The request.
  private func sendRequest(
    _ id: JobID, _ command: EngineCommand? = nil, isQuick: Bool = true, isReading: Bool = false,
    _ body: @escaping @Sendable (UpdateSession) async throws(InstallationError) -> MonitorEvent?
  ) async {
    do {
      // Without a session this throws as well, so that a pending command gets its failure.
      let session = try requireSession()
      let event: MonitorEvent?
      if isQuick {
        event = try await watched(
          session, asksAgain: isReading,
          { () async throws(InstallationError) in try await body(session) })
      } else {
        event = try await body(session)
      }
      if let event { mailbox.post(event) }
      if let command { mailbox.post(.answered(command)) }
    } catch {
      mailbox.post(isReading ? .unread(error, job: id) : .failed(error, job: id, of: command))
    }
  }
}

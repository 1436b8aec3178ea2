import InstallJobs
import JobClient
import JobScreen
import Synchronization

/// The monitor's connection to its engine: publishes the engine's events, sends the monitor's
/// requests, and reconnects when the engine went away.
actor MonitorLink {
  let mailbox: Mailbox
  private let connect: @Sendable () async throws(InstallationError) -> UpdateSession
  private let watch: SilenceDetector
  private var session: UpdateSession?
  private var retry: Task<Void, Never>?
  private var attempts = 0
  private var orders = CommandQueue()
  private var isAwaitingRecovery = false
  /// The recording that is being read.
  private var recording: (request: RecordingRequest, reading: Task<Void, Never>)?

  /// - Parameters:
  ///   - session: An open session.
  ///   - mailbox: Receives all events.
  ///   - connect: Opens a new session.
  init(
    _ session: UpdateSession, mailbox: Mailbox,
    connect: @escaping @Sendable () async throws(InstallationError) -> UpdateSession
  ) {
    self.session = session
    self.mailbox = mailbox
    self.connect = connect
    watch = SilenceDetector { mailbox.post(.link($0)) }
  }

  /// Follows the engine until the task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      if let session { await publish(session) }
      session = nil
      await reconnect()
    }
  }

  /// Reconnects at once instead of waiting for the next attempt; closes an open session first.
  func reconnectNow() async {
    if let retry { retry.cancel() } else { await session?.close() }
  }

  /// Requests the engine's status as a heartbeat; ``SilenceDetector`` reports silence.
  func poll() async { await requestStatus() }

  // MARK: Listening

  private func publish(_ session: UpdateSession) async {
    attempts = 0
    mailbox.post(.link(.live))
    mailbox.post(.journal(await session.journalName))
    // All that follows, the clock included, comes from this connection.
    mailbox.post(.snapshotBegin)
    await requestStatus()
    do {
      let events = try await session.events()
      for try await element in events {
        await mailbox.postWithBackpressure(MonitorEvent(element))
        if element.outdatesStatus { await requestStatus() }
      }
    } catch {
      // `follow` reconnects and reports the lost connection.
    }
  }

  private func reconnect() async {
    let waits = [1, 1, 2, 5]
    var refusal: LinkState.Refusal?
    while session == nil, !Task.isCancelled {
      let seconds = attempts < waits.count ? waits[attempts] : 10
      attempts += 1
      let pause = Task { [mailbox, refusal] in
        for left in stride(from: seconds, to: 0, by: -1) {
          let state = refusal.map { LinkState.refused($0, retryIn: left) }
          mailbox.post(.link(state ?? .lost(retryIn: left)))
          guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        }
      }
      retry = pause
      await pause.value
      retry = nil
      mailbox.post(.link(.connecting))
      do {
        session = try await connect()
      } catch {
        // The link state already shows an unreachable engine; another refusal is reported once.
        let found = LinkState.Refusal(error)
        if error.code != .engineUnreachable, found == nil || found != refusal {
          mailbox.post(.failed(error))
        }
        refusal = found
      }
    }
  }

  private func requestStatus() async {
    guard let session,
      let status = try? await watched(
        session, asksAgain: true,
        { () async throws(InstallationError) in try await session.status() })
    else { return }
    mailbox.post(.engine(status))
  }

  /// Runs a request that a working engine answers at once; silence is reported.
  ///
  /// - Parameters:
  ///   - session: The session with the engine.
  ///   - asksAgain: Whether to repeat the request until an answer comes, for requests that change
  ///     nothing. Otherwise the error is thrown and a status request waits for the end of the
  ///     silence.
  ///   - body: The request.
  /// - Returns: The answer.
  /// - Throws: The errors of `body`.
  private func watched<Answer: Sendable>(
    _ session: UpdateSession, asksAgain: Bool = false,
    _ body: @Sendable () async throws(InstallationError) -> Answer
  ) async throws(InstallationError) -> Answer {
    while true {
      do throws(InstallationError) {
        return try await watch.perform(silence: { session.silence.seconds }, body)
      } catch {
        guard error.code == .timedOut else { throw error }
        guard !asksAgain else { continue }
        watchForRecovery()
        throw error
      }
    }
  }

  /// Requests the status of an engine that did not answer, to notice the end of its silence.
  private func watchForRecovery() {
    guard !isAwaitingRecovery else { return }
    isAwaitingRecovery = true
    Task {
      await requestStatus()
      isAwaitingRecovery = false
    }
  }

  // MARK: Asking

  func requireSession() throws(InstallationError) -> UpdateSession {
    guard let session else {
      throw InstallationError(
        .engineUnreachable, "not connected to the engine", class: .transient,
        hint: "nothing was submitted")
    }
    return session
  }

  /// Performs intents until the task is cancelled.
  ///
  /// Commands for jobs run one after the other, in the order of ``CommandQueue``. Slow requests, for
  /// example plans and clean-ups, run beside them and delay no command.
  func perform(_ wishes: AsyncStream<Intent>) async {
    let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    async let giving: Void = performCommands(at: bells)
    for await intent in wishes {
      switch intent {
      case _ where orders.append(intent): bell.yield()
      case .fetchRecording(let request): read(request)
      case .dropRecording(let request): drop(request)
      default: Task { await perform(intent) }
      }
    }
    recording?.reading.cancel()
    bell.finish()
    await giving
  }

  private func performCommands(at bells: AsyncStream<Void>) async {
    for await _ in bells {
      while !Task.isCancelled, let order = orders.next() { await perform(order) }
    }
  }

  /// Reads a recording and cancels the reading of the previous one.
  private func read(_ request: RecordingRequest) {
    recording?.reading.cancel()
    recording = (request, Task { await publish(request) })
  }

  private func drop(_ request: RecordingRequest) {
    guard recording?.request == request else { return }
    recording?.reading.cancel()
    recording = nil
  }

  /// Performs an intent that concerns the engine; ignores intents for the terminal.
  func perform(_ intent: Intent) async {
    switch intent {
    case .requestAbort(let ids): await abort(ids)
    case .withdrawAbort(let id): await cancelAbort(id)
    case .cleanUp(let ids): await cleanUp(ids)
    case .hold(let id): await pauseJob(id)
    case .release(let id): await resumeJob(id)
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
    await sendRequest(id, .withdraw(id)) { session throws(InstallationError) in
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
    let order: Order = goingOn ? .resumeQueue : .pauseQueue
    do throws(InstallationError) {
      let session = try requireSession()
      _ = try await watched(
        session,
        { () async throws(InstallationError) in
          goingOn ? try await session.resumeQueue() : try await session.pauseQueue()
        })
      mailbox.post(.answered(order))
    } catch {
      mailbox.post(.failed(error, of: order))
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
    await sendRequest(id, .hold(id)) { session throws(InstallationError) in
      try await session.suspend(id)
      return nil
    }
  }

  /// Resumes a paused job.
  func resumeJob(_ id: JobID) async {
    await sendRequest(id, .release(id)) { session throws(InstallationError) in
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
  ///   - order: The command to report as answered, where success is the whole answer.
  ///   - isQuick: Whether silence means a fault; false for a plan, which takes its time.
  ///   - isReading: Whether the request only reads, so that a failure does not answer a pending
  ///     command.
  ///   - body: The request.
  private func sendRequest(
    _ id: JobID, _ order: Order? = nil, isQuick: Bool = true, isReading: Bool = false,
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
      if let order { mailbox.post(.answered(order)) }
    } catch {
      mailbox.post(isReading ? .unread(error, job: id) : .failed(error, job: id, of: order))
    }
  }
}

extension EngineEvents.Element {
  /// Whether a status that was requested before this element may be outdated.
  ///
  /// The status requested before a snapshot may be older than its rows, for example about a paused
  /// queue. The end of a job frees the lock. A notice that is not stored has no number to compare a
  /// status with.
  fileprivate var outdatesStatus: Bool {
    switch self {
    case .jobsEnd: true
    case .jobs, .progress: false
    case .event(let event):
      switch event.payload {
      case .completed: true
      case .engine(let notice): !notice.isDurable
      default: false
      }
    }
  }
}

extension Duration {
  /// Whole seconds.
  fileprivate var seconds: Int { Int(components.seconds) }
}

import InstallJobs
import JobClient
import JobScreen
import Synchronization

/// The monitor's line to its engine: tells what the engine tells, asks what the monitor asks, and
/// connects again when the engine went away.
actor MonitorLink {
  let mailbox: Mailbox
  private let connect: @Sendable () async throws(InstallationError) -> UpdateSession
  private let watch: AnswerWatch
  private var session: UpdateSession?
  private var retry: Task<Void, Never>?
  private var attempts = 0
  private var orders = OrderQueue()
  private var isWaitingForSign = false
  /// The recording that is read.
  private var recording: (request: RecordingRequest, reading: Task<Void, Never>)?

  /// - Parameters:
  ///   - session: The session that stands already.
  ///   - mailbox: Where everything is told.
  ///   - connect: How to connect again.
  init(
    _ session: UpdateSession, mailbox: Mailbox,
    connect: @escaping @Sendable () async throws(InstallationError) -> UpdateSession
  ) {
    self.session = session
    self.mailbox = mailbox
    self.connect = connect
    watch = AnswerWatch { mailbox.post(.link($0)) }
  }

  /// Follows the engine until the task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      if let session { await publish(session) }
      session = nil
      await connectAgain()
    }
  }

  /// Does not wait for the next attempt.
  func reconnectNow() async {
    if let retry { retry.cancel() } else { await session?.close() }
  }

  /// Asks for a sign of life; silence is told.
  func poll() async { await askStatus() }

  // MARK: Listening

  private func publish(_ session: UpdateSession) async {
    attempts = 0
    mailbox.post(.link(.live))
    mailbox.post(.journal(await session.journalName))
    // What the engine tells from here on is this connection's, its clock with the rest.
    mailbox.post(.snapshotBegin)
    await askStatus()
    do {
      let events = try await session.events()
      for try await element in events {
        switch element {
        case .jobs(let rows): await mailbox.postPatiently(.snapshot(rows))
        case .jobsEnd(let seq):
          mailbox.post(.snapshotEnd(seq: seq))
          // What was asked before may be older than the rows: the pause of a queue, for one.
          await askStatus()
        case .progress(let events): await mailbox.postPatiently(.ticks(events))
        case .event(let event):
          await mailbox.postPatiently(.event(event))
          if event.outdatesStatus { await askStatus() }
        }
      }
    } catch {
      // The line below says that the engine is gone.
    }
  }

  private func connectAgain() async {
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
        // That nobody answers is said by the link; that somebody else does is worth words, once.
        let found = LinkState.Refusal(error)
        if error.code != .engineUnreachable, found == nil || found != refusal {
          mailbox.post(.failed(error))
        }
        refusal = found
      }
    }
  }

  private func askStatus() async {
    guard let session,
      let status = try? await watched(
        session, asksAgain: true,
        { () async throws(InstallationError) in try await session.status() })
    else { return }
    mailbox.post(.engine(status))
  }

  /// Asks what an engine at work answers at once; silence is told.
  ///
  /// - Parameters:
  ///   - session: The session with the engine.
  ///   - asksAgain: Whether to ask until there is an answer, for what changes nothing. Otherwise the end of
  ///     the silence is waited for beside the error.
  ///   - body: Asks.
  /// - Returns: The answer.
  /// - Throws: What `body` throws.
  private func watched<Answer: Sendable>(
    _ session: UpdateSession, asksAgain: Bool = false,
    _ body: @Sendable () async throws(InstallationError) -> Answer
  ) async throws(InstallationError) -> Answer {
    while true {
      do throws(InstallationError) {
        return try await watch.watched(silence: { session.silence.seconds }, body)
      } catch {
        guard error.code == .timedOut else { throw error }
        guard !asksAgain else { continue }
        waitForSign()
        throw error
      }
    }
  }

  /// Has an engine that did not answer asked for its status, so that the end of its silence is noticed.
  private func waitForSign() {
    guard !isWaitingForSign else { return }
    isWaitingForSign = true
    Task {
      await askStatus()
      isWaitingForSign = false
    }
  }

  // MARK: Asking

  func reached() throws(InstallationError) -> UpdateSession {
    guard let session else {
      throw InstallationError(
        .engineUnreachable, "not connected to the engine", class: .transient,
        hint: "nothing was submitted")
    }
    return session
  }

  /// Does what is wanted, until the task is cancelled.
  ///
  /// Orders to jobs go one after the other, as ``OrderQueue`` has them; what takes its time, as
  /// plans and clean-ups do, holds up no order.
  func perform(_ wishes: AsyncStream<Intent>) async {
    let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    async let giving: Void = giveOrders(at: bells)
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

  private func giveOrders(at bells: AsyncStream<Void>) async {
    for await _ in bells {
      while !Task.isCancelled, let order = orders.next() { await perform(order) }
    }
  }

  /// Reads a recording instead of the one before.
  private func read(_ request: RecordingRequest) {
    recording?.reading.cancel()
    recording = (request, Task { await publish(request) })
  }

  private func drop(_ request: RecordingRequest) {
    guard recording?.request == request else { return }
    recording?.reading.cancel()
    recording = nil
  }

  /// Does what the monitor wants of the engine; what concerns the terminal is not for here.
  func perform(_ intent: Intent) async {
    switch intent {
    case .requestAbort(let ids): await abort(ids)
    case .withdrawAbort(let id): await withdraw(id)
    case .cleanUp(let ids): await cleanUp(ids)
    case .hold(let id): await hold(id)
    case .release(let id): await release(id)
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

  /// Asks each job to stop and tells the answers.
  func abort(_ ids: [JobID]) async {
    for id in ids {
      await asking(id) { session throws(InstallationError) in
        let answer = try await session.requestAbort(of: id)
        return .abortAnswer(id, answer)
      }
    }
  }

  func withdraw(_ id: JobID) async {
    await asking(id, .withdraw(id)) { session throws(InstallationError) in
      try await session.withdrawAbort(of: id)
      return nil
    }
  }

  func cleanUp(_ ids: [JobID]) async {
    for id in ids {
      await asking(id, .cleanUp(id)) { session throws(InstallationError) in
        try await session.cleanUp(id)
        return nil
      }
    }
  }

  /// Pauses the queue or lets it go on; what became of it, the engine's notice tells everybody.
  private func setQueue(goingOn: Bool) async {
    let order: Order = goingOn ? .resumeQueue : .pauseQueue
    do throws(InstallationError) {
      let session = try reached()
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

  /// Asks whoever holds the package lock to yield, and tells who that was.
  private func askToYield() async {
    do throws(InstallationError) {
      let session = try reached()
      let holder = try await watched(
        session,
        { () async throws(InstallationError) in try await session.askLockHolderToYield() })
      mailbox.post(.yieldAnswer(holder))
    } catch {
      mailbox.post(.failed(error, of: .yield))
    }
  }

  /// Gives a job another place in the queue.
  func move(_ id: JobID, _ place: QueueMove) async {
    await asking(id, .move(id, place)) { session throws(InstallationError) in
      _ = try await session.move(id, to: place)
      return nil
    }
  }

  /// Stops a job between two packages.
  func hold(_ id: JobID) async {
    await asking(id, .hold(id)) { session throws(InstallationError) in
      try await session.suspend(id)
      return nil
    }
  }

  /// Goes on with a job that was stopped between two packages.
  func release(_ id: JobID) async {
    await asking(id, .release(id)) { session throws(InstallationError) in
      try await session.resume(id)
      return nil
    }
  }

  /// Hands in a new job with what did not succeed of an ended one.
  func retry(_ id: JobID) async {
    await asking(id, .retry(id), isQuick: false) { session throws(InstallationError) in
      .submitted(try await session.submit(try await session.retryRequest(of: id)), of: nil)
    }
  }

  /// Asks for what a request would do.
  func plan(_ request: JobRequest) async {
    do throws(InstallationError) {
      mailbox.post(.planned(request, try await reached().plan(request)))
    } catch {
      mailbox.post(.refused(request, error))
    }
  }

  /// Hands a job in.
  func submit(_ request: JobRequest) async {
    do throws(InstallationError) {
      mailbox.post(.submitted(try await reached().submit(request), of: request))
    } catch {
      mailbox.post(.refused(request, error))
    }
  }

  /// Asks which packages could be upgraded.
  func fetchUpgradable() async {
    do throws(InstallationError) {
      mailbox.post(.upgradable(try await reached().upgradableUpdates()))
    } catch {
      mailbox.post(.failed(error))
    }
  }

  /// Asks for a page of jobs that are over.
  func fetchHistory(after: JobID?) async {
    do throws(InstallationError) {
      let session = try reached()
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
    await asking(id, isReading: true) { session throws(InstallationError) in
      let job = try await session.snapshot(of: id)
      return .plan(id, job.plan ?? [])
    }
  }

  /// Fetches a piece of the log; from its last 64 KiB on when no place is given.
  func fetchLog(_ id: JobID, from: Int64?) async {
    await asking(id, isReading: true) { session throws(InstallationError) in
      var start = from ?? 0
      if from == nil {
        let length = try await session.log(of: id, from: .max, limit: 1).length
        start = max(0, length - 65_536)
      }
      let piece = try await session.log(of: id, from: start)
      return .logChunk(id, offset: piece.offset, text: piece.text)
    }
  }

  /// Asks something and tells the answer.
  ///
  /// - Parameters:
  ///   - id: The job that it is about.
  ///   - order: What is asked for, where the answer is no more than that it was done.
  ///   - isQuick: Whether silence means that something is wrong; a plan takes its time.
  ///   - isReading: Whether a failure leaves what was asked of the job as it is.
  ///   - body: Asks.
  private func asking(
    _ id: JobID, _ order: Order? = nil, isQuick: Bool = true, isReading: Bool = false,
    _ body: @escaping @Sendable (UpdateSession) async throws(InstallationError) -> MonitorEvent?
  ) async {
    do {
      // Said also where nobody can be asked any more: what waits for an answer must not wait on.
      let session = try reached()
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

extension JobEvent {
  /// Whether an answer that is on its way may be older than what it tells: an end frees the lock, and
  /// a notice that is not stored has no number to compare an answer with.
  fileprivate var outdatesStatus: Bool {
    switch payload {
    case .completed: true
    case .engine(let notice): !notice.isDurable
    default: false
    }
  }
}

extension Duration {
  /// Whole seconds.
  fileprivate var seconds: Int { Int(components.seconds) }
}

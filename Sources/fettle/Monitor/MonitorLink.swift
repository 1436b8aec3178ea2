import InstallJobs
import JobClient
import Monitor
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
  func watched<Answer: Sendable>(
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
  func read(_ request: RecordingRequest) {
    recording?.reading.cancel()
    recording = (request, Task { await publish(request) })
  }

  func drop(_ request: RecordingRequest) {
    guard recording?.request == request else { return }
    recording?.reading.cancel()
    recording = nil
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

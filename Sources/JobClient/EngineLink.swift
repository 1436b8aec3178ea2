internal import InstallJobs
internal import JobWire
internal import Synchronization

/// A session's link to its engine: one connection at a time, reopened when the engine is lost.
///
/// Requests of a lost connection are not repeated, because they may have been carried out.
actor EngineLink {
  typealias Open = @Sendable () async throws(InstallationError) -> EngineConnection

  private enum State {
    case connected(EngineBackend)
    case lost
    case ended(InstallationError)
  }

  /// Pause between the first two attempts to reconnect.
  ///
  /// It doubles with each attempt.
  private static let firstPause = Duration.milliseconds(50)
  /// Longest pause between two attempts to reconnect.
  private static let longestPause = Duration.seconds(5)
  /// A connection shorter than this counts as a failed attempt: the next attempt is made after a
  /// pause.
  private static let shortConnection = Duration.seconds(10)

  private let open: Open
  /// Time after which attempts to reconnect end.
  private let limit: Duration
  /// Identifies the journal of the session's jobs.
  ///
  /// The session does not reconnect to an engine with another epoch.
  nonisolated let epoch: String
  private let path: String
  private var state: State
  /// The number of the current connection, counted from 1.
  private var generation = 1
  /// Calls that wait for the engine to come back.
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  private var currentState: ConnectionState = .connected
  private var listeners: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
  private var lastListener = 0
  private var attempts: Task<Void, Never>?
  /// The task that ends the attempts to reconnect after `limit`.
  private var deadline: Task<Void, any Error>?
  /// Returns the pause before the next attempt, and doubles the following one.
  private var pause = EngineLink.firstPause
  private var connectedSince = ContinuousClock.now
  private nonisolated let hasClosed = Atomic(false)
  /// The rights of this process in the engine's last `hello`.
  private nonisolated let rights: Mutex<PeerRights>
  /// The current or last connection.
  private nonisolated let connection: Mutex<EngineConnection?>

  /// - Parameters:
  ///   - connection: The first connection.
  ///   - limit: Time after which attempts to reconnect to a lost engine end.
  ///   - open: Opens a further connection.
  init(
    _ connection: EngineConnection, limit: Duration, open: @escaping Open
  ) {
    self.open = open
    // A clock cannot represent a time that is much later.
    self.limit = min(limit, .seconds(1_000_000_000))
    epoch = connection.hello.epoch
    path = connection.path
    rights = Mutex(connection.hello.rights)
    self.connection = Mutex(connection)
    state = .connected(EngineBackend(connection))
    Task { [weak self, ended = connection.ended] in
      for await _ in ended {}
      await self?.reconnect(1)
    }
  }

  deinit {
    attempts?.cancel()
    deadline?.cancel()
    for listener in listeners.values { listener.finish() }
  }

  /// Whether the session was closed; true before ``close()`` waits for anything.
  nonisolated var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

  nonisolated var mayAct: Bool { rights.withLock { $0 == .act } }

  /// Time since the engine's last line, in whole seconds.
  nonisolated var silence: Duration {
    connection.withLock { $0.map { .seconds($0.silentSeconds) } ?? .zero }
  }

  /// The engine; waits until it is connected.
  ///
  /// - Parameter timeout: The longest wait for a lost engine; nil waits as long as attempts to
  ///   reconnect are made.
  /// - Returns: The engine, and the number of its connection.
  /// - Throws: The error that ended the session; `engineUnreachable` after the time-out;
  ///   `cancelled` at once if the task is cancelled.
  func engine(
    within timeout: Duration? = .seconds(10)
  ) async throws(InstallationError) -> (backend: EngineBackend, generation: Int) {
    let end = timeout.map { ContinuousClock.now + $0 }
    while true {
      switch state {
      case .connected(let backend):
        let found = generation
        if await backend.connection.isAlive { return (backend, found) }
        // The end of the connection has not been processed here yet.
        reconnect(found)
      case .ended(let error): throw error
      case .lost:
        guard !Task.isCancelled else { throw cancelledWait }
        guard end.map({ ContinuousClock.now < $0 }) ?? true else { throw loss }
        await wait(until: end)
      }
    }
  }

  /// Whether the engine is connected or attempts to reconnect are made.
  var isReconnecting: Bool {
    if case .ended = state { false } else { true }
  }

  private func wait(until end: ContinuousClock.Instant?) async {
    lastWaiter += 1
    let number = lastWaiter
    let timer = end.map { end in
      Task { [weak self] in
        try await SleepQueue.shared.sleep(until: end)
        await self?.wake(number)
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // The cancellation handler of a cancelled task has run already.
        if Task.isCancelled { continuation.resume() } else { waiting[number] = continuation }
      }
    } onCancel: {
      Task { await self.wake(number) }
    }
    timer?.cancel()
  }

  private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }

  private func wakeAll() {
    for continuation in waiting.values { continuation.resume() }
    waiting = [:]
  }

  private var cancelledWait: InstallationError {
    InstallationError(
      .cancelled, "the wait for the engine at '\(path)', which went away, was cancelled",
      class: .transient, hint: "nothing was asked; it is tried to be reached again")
  }

  private var loss: InstallationError {
    InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away", class: .transient,
      hint: "jobs go on without it; it is tried to be reached again")
  }

  /// Closes the link: all waiting calls end with an error, and no attempt to reconnect follows.
  ///
  /// Returns when the connection is closed.
  func close() async {
    hasClosed.store(true, ordering: .releasing)
    let backend: EngineBackend? = if case .connected(let backend) = state { backend } else { nil }
    end(
      InstallationError(
        .invalidState, "the session was closed", class: .fatal, hint: "open another session"),
      as: .closed)
    await backend?.connection.close()
  }

  /// A stream of the current state and each change.
  ///
  /// It finishes after a final state.
  func states() -> AsyncStream<ConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ConnectionState.self, bufferingPolicy: .bufferingNewest(16))
    continuation.yield(currentState)
    guard !currentState.isFinal else {
      continuation.finish()
      return stream
    }
    lastListener += 1
    let number = lastListener
    listeners[number] = continuation
    continuation.onTermination = { [weak self] _ in Task { await self?.forget(number) } }
    return stream
  }

  private func forget(_ number: Int) { listeners[number] = nil }

  // MARK: Loss

  /// Closes a connection and starts to reconnect; does nothing if `lost` is not the current
  /// connection.
  ///
  /// All requests pending on the connection end, even if the engine is running and only does not
  /// answer.
  func reconnect(_ lost: Int) {
    guard lost == generation, case .connected(let backend) = state else { return }
    state = .lost
    Task { await backend.connection.close() }
    publish(.lost(loss))
    guard limit > .zero else { return giveUp() }
    let isShort = ContinuousClock.now - connectedSince < Self.shortConnection
    if !isShort { pause = Self.firstPause }
    deadline = Task { [weak self, limit] in
      try await Task.sleep(for: limit)
      await self?.giveUp()
    }
    attempts = Task { [weak self, isShort] in
      var isFirst = !isShort
      // Cancelled: the session has ended.
      while let self, !Task.isCancelled {
        if !isFirst {
          let pause = await self.nextPause()
          guard (try? await Task.sleep(for: pause)) != nil else { return }
        }
        isFirst = false
        guard await self.attempt() else { return }
      }
    }
  }

  /// Returns the pause before the next attempt, and doubles the following one.
  private func nextPause() -> Duration {
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Tries once to reconnect.
  ///
  /// - Returns: Whether to try again.
  private func attempt() async -> Bool {
    guard case .lost = state else { return false }
    let connection: EngineConnection
    do throws(InstallationError) {
      connection = try await open()
    } catch {
      guard error.code == .engineUnreachable else {
        end(error, as: .givenUp(error))
        return false
      }
      return true
    }
    guard case .lost = state else {
      await connection.close()
      return false
    }
    guard connection.hello.epoch == epoch else {
      await connection.close()
      let error = InstallationError(
        .engineUnreachable,
        "the engine at '\(path)' has another journal than before: the session's jobs are not known there",
        class: .needsHuman, hint: "open another session, and look at the engine's history")
      end(error, as: .givenUp(error))
      return false
    }
    rights.withLock { $0 = connection.hello.rights }
    self.connection.withLock { $0 = connection }
    generation += 1
    deadline?.cancel()
    connectedSince = .now
    state = .connected(EngineBackend(connection))
    Task { [weak self, generation, ended = connection.ended] in
      for await _ in ended {}
      await self?.reconnect(generation)
    }
    publish(.connected)
    wakeAll()
    return false
  }

  private func giveUp() {
    guard case .lost = state else { return }
    let wait = limit > .zero ? " and did not come back within \(limit)" : ""
    let error = InstallationError(
      .engineUnreachable, "the engine at '\(path)' went away\(wait)", class: .transient,
      hint: "jobs go on without it; open another session when it is back")
    end(error, as: .givenUp(error))
  }

  private func end(_ error: InstallationError, as last: ConnectionState) {
    if case .ended = state { return }
    state = .ended(error)
    attempts?.cancel()
    deadline?.cancel()
    wakeAll()
    publish(last)
    for listener in listeners.values { listener.finish() }
    listeners = [:]
  }

  private func publish(_ state: ConnectionState) {
    currentState = state
    for listener in listeners.values { listener.yield(state) }
  }
}

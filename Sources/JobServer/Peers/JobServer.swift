internal import Glibc
package import InstallJobs
internal import JobTransport
internal import JobWire
package import Logging
import ServiceLifecycle
internal import Synchronization

/// The server of an engine: accepts connections at a Unix socket until shutdown.
///
/// Shutdown closes the connections and removes the socket. The engine and its workers keep running.
package final class JobServer: Service {
  /// The path of the socket.
  package var path: String { listener.path }

  private let engine: any EngineService
  private let policy: AccessPolicy
  private let limits: ServerLimits
  private let logger: Logger
  private let listener: SocketListener
  private let notices: PeerNotices
  private let refusals: RefusalRecorder
  private let buffers: BufferBudgets
  private let turns = ViewerQueue()
  private let heap: HeapTrimmer?
  private let ownPID = getpid()
  private let state: Mutex<State>

  private struct State {
    var seats: SeatTable
    var entries: [Int: Entry] = [:]
    var isStopping = false
    var ping: CheckedContinuation<Bool, Never>?
  }

  private struct Entry {
    /// Nil while the peer's account is looked up.
    var session: PeerSession?
    var task: Task<Void, Never>
  }

  private init(
    engine: any EngineService, policy: AccessPolicy, limits: ServerLimits, heap: HeapTrimmer?,
    logger: Logger, listener: SocketListener
  ) {
    self.engine = engine
    self.policy = policy
    self.limits = limits
    self.heap = heap
    self.logger = logger
    self.listener = listener
    notices = PeerNotices(logger: logger)
    refusals = RefusalRecorder(engine: engine)
    buffers = BufferBudgets(limits: limits)
    state = Mutex(State(seats: SeatTable(limits: limits.seats)))
  }

  /// Creates the socket and listens.
  ///
  /// Clients can connect from now on; ``run()`` serves them.
  ///
  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - engine: The engine that answers the requests.
  ///   - policy: The rights of each user.
  ///   - limits: The limits of connections and requests.
  ///   - heap: Returns memory to the system after a connection that used much; nil for never.
  ///   - logger: The log for notices.
  /// - Returns: A server that does not serve yet.
  /// - Throws: `busy` when another process listens at the path; `invalidArgument` when the path
  ///   cannot be used.
  package static func listen(
    at path: String, engine: any EngineService, policy: AccessPolicy,
    limits: ServerLimits = ServerLimits(), heap: HeapTrimmer? = nil, logger: Logger
  ) async throws(InstallationError) -> JobServer {
    let listener = try await SocketListener.listen(at: path, access: policy.socketAccess)
    return JobServer(
      engine: engine, policy: policy, limits: limits, heap: heap, logger: logger,
      listener: listener)
  }

  /// Serves until graceful shutdown or cancellation, then removes the socket.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        while true {
          self.receive(try await self.listener.acceptPeer())
        }
      } catch is CancellationError {
      } catch {
        self.logger.error("no more connections can be taken: \(error)")
      }
    }
    listener.close()
    endPing(false)
    let entries = state.withLock { state in
      state.isStopping = true
      return Array(state.entries.values)
    }
    for entry in entries {
      await entry.session?.close()
      entry.task.cancel()
    }
    for entry in entries { await entry.task.value }
  }

  /// Number of open connections.
  package var connectionCount: Int { state.withLock { $0.seats.count } }

  /// Bytes that connections buffer now: incomplete incoming lines and unread replies.
  package var bufferedBytes: Int { buffers.reserved }

  /// Connects to the server's own socket and returns whether the accept loop took the connection.
  ///
  /// - Returns: True once the connection was accepted. False if the socket cannot be reached, if
  ///   another ping is running, if the server stops, or if the task is cancelled.
  package func ping() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFree = state.withLock { state in
          guard state.ping == nil, !state.isStopping, !Task.isCancelled else { return false }
          state.ping = continuation
          return true
        }
        guard isFree else { return continuation.resume(returning: false) }
        if !listener.touch() { endPing(false) }
      }
    } onCancel: {
      endPing(false)
    }
  }

  private func endPing(_ isAnswered: Bool) {
    let ping = state.withLock { state in
      defer { state.ping = nil }
      return state.ping
    }
    ping?.resume(returning: isAnswered)
  }

  // Must not block: an unprivileged peer must not delay the next peer, who may be root.
  private func receive(_ accepted: AcceptedPeer) {
    let uid = accepted.peer.uid
    if accepted.peer.pid == ownPID, state.withLock({ $0.ping != nil }) {
      accepted.close()
      return endPing(true)
    }
    switch policy.knownAdmission(of: uid) {
    case .refused(let user)?: refuse(accepted, user)
    case .seat(let seatClass, let user)?:
      guard let number = admit(uid, as: seatClass) else { return turnAway(accepted) }
      serve(accepted, number, seatClass, user)
    case nil:
      guard let number = admit(uid, as: .unidentified) else { return turnAway(accepted) }
      identify(accepted, number)
    }
  }

  private func admit(_ uid: UInt32, as seatClass: SeatClass) -> Int? {
    state.withLock { $0.seats.admit(uid, as: seatClass) }
  }

  private func turnAway(_ accepted: AcceptedPeer) {
    accepted.close()
    notices.post(.tooManyConnections, uid: accepted.peer.uid)
  }

  /// Sends an error in one line to a peer without the right to view, and closes the connection.
  private func refuse(_ accepted: AcceptedPeer, _ user: String) {
    let fault = WireFault(policy.refusal(user: user))
    let message = (try? WireCodec().reply(nil, fault)) ?? []
    accepted.refuse(with: message + [0x0A])
    refusals.add(accepted.peer, user: user)
    notices.post(.refused, uid: accepted.peer.uid)
  }

  private func identify(_ accepted: AcceptedPeer, _ number: Int) {
    start(number) {
      let admission = await self.policy.admission(of: accepted.peer.uid)
      guard !Task.isCancelled else { return nil }
      switch admission {
      case .refused(let user):
        self.refuse(accepted, user)
        return nil
      case .seat(let seatClass, let user):
        let hasSeat = self.state.withLock { $0.seats.move(number, to: seatClass) }
        guard hasSeat else {
          self.turnAway(accepted)
          return nil
        }
        return self.session(for: accepted, number, seatClass, user)
      }
    }
  }

  private func serve(
    _ accepted: AcceptedPeer, _ number: Int, _ seatClass: SeatClass, _ user: String
  ) {
    let session = session(for: accepted, number, seatClass, user)
    start(number, session) { session }
  }

  private func session(
    for accepted: AcceptedPeer, _ number: Int, _ seatClass: SeatClass, _ user: String
  ) -> PeerSession? {
    let budget = buffers.budget(of: accepted.peer.uid, as: seatClass)
    let receiving = ReceiveLimits(line: limits.helloLine, budget: budget)
    guard let connection = accepted.connection(receiving) else { return nil }
    return PeerSession(
      connection, user: user, seatClass: seatClass, engine: engine, policy: policy, limits: limits,
      budget: budget, turns: turns, notices: notices, logger: logger,
      greeted: { [weak self] in self?.state.withLock { $0.seats.greet(number) } })
  }

  /// Serves a connection in its own task, and frees its seat at the end.
  private func start(
    _ number: Int, _ session: PeerSession? = nil,
    _ prepare: @escaping @Sendable () async -> PeerSession?
  ) {
    state.withLock { state in
      let task = Task {
        if let session = await prepare(), self.register(session, as: number) {
          await session.run()
          let hasKeptMuch = await session.hasUsedLargeBuffers
          if hasKeptMuch || session.connection.limits.peak > PeerSession.largeBufferBytes {
            self.heap?.scheduleTrim()
          }
        }
        self.state.withLock { state in
          state.entries[number] = nil
          state.seats.leave(number)
        }
      }
      state.entries[number] = Entry(session: session, task: task)
    }
  }

  /// - Returns: False if the server is stopping.
  private func register(_ session: PeerSession, as number: Int) -> Bool {
    state.withLock { state in
      state.entries[number]?.session = session
      return !state.isStopping
    }
  }
}

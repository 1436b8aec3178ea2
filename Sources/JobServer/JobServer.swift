package import InstallJobs
internal import JobTransport
package import Logging
import ServiceLifecycle
internal import Synchronization

/// The engine behind a socket: takes connections until it is told to stop.
///
/// Stopping ends the connections and removes the socket; the engine and its workers go on.
package final class JobServer: Service {
  /// Where it listens.
  package var path: String { listener.path }

  private let engine: any EngineService
  private let policy: AccessPolicy
  private let limits: ServerLimits
  private let logger: Logger
  private let listener: SocketListener
  private let sessions = Mutex<[ObjectIdentifier: Entry]>([:])

  private struct Entry {
    var session: PeerSession
    var task: Task<Void, Never>
  }

  private init(
    engine: any EngineService, policy: AccessPolicy, limits: ServerLimits, logger: Logger,
    listener: SocketListener
  ) {
    self.engine = engine
    self.policy = policy
    self.limits = limits
    self.logger = logger
    self.listener = listener
  }

  /// Begins to listen; clients can connect from now on and are served once ``run()`` runs.
  ///
  /// - Throws: `busy` when somebody listens there, `invalidArgument` when the path cannot be used.
  package static func listen(
    at path: String, engine: any EngineService, policy: AccessPolicy,
    limits: ServerLimits = ServerLimits(), logger: Logger
  ) async throws(InstallationError) -> JobServer {
    let listener = try await SocketListener.listen(at: path, access: policy.socketAccess)
    return JobServer(
      engine: engine, policy: policy, limits: limits, logger: logger, listener: listener)
  }

  /// Serves until graceful shutdown or cancellation, then removes the socket.
  package func run() async throws {
    await cancelWhenGracefulShutdown {
      do {
        while true {
          let connection = try await self.listener.accept()
          // Before the next one is let in: a crowd at the door must not have all descriptors.
          if !self.serve(connection) { await connection.discard() }
        }
      } catch is CancellationError {
      } catch {
        self.logger.error("no more connections can be taken: \(error)")
      }
    }
    listener.close()
    let entries = sessions.withLock { Array($0.values) }
    for entry in entries {
      await entry.session.close()
      entry.task.cancel()
    }
    for entry in entries { await entry.task.value }
  }

  /// How many connections there are now.
  package var connectionCount: Int { sessions.withLock { $0.count } }

  /// - Returns: Whether it is served; else it is one too many.
  private func serve(_ connection: LineConnection) -> Bool {
    let uid = connection.peer.uid
    let session = PeerSession(
      connection, engine: engine, policy: policy, limits: limits, logger: logger)
    let key = ObjectIdentifier(session)
    let isWelcome = sessions.withLock { sessions in
      guard sessions.count < limits.connections,
        sessions.values.count(where: { $0.session.peer.uid == uid }) < limits.connectionsPerUser
      else { return false }
      let task = Task {
        await session.run()
        self.sessions.withLock { $0[key] = nil }
      }
      sessions[key] = Entry(session: session, task: task)
      return true
    }
    guard !isWelcome else { return true }
    logger.notice("too many connections", metadata: ["uid": "\(uid)"])
    return false
  }
}

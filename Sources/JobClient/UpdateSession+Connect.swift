internal import FoundationEssentials
internal import Glibc
internal import HostSystem
public import InstallJobs

extension UpdateSession {
  /// Opens a session with a running engine (rows A1, A4, S3).
  ///
  /// - Parameters:
  ///   - socketPath: The engine's socket; nil tries ``SocketPath/candidates(environment:uid:)`` in
  ///     order and uses the first at which a process listens. A process that listens and does not
  ///     answer, or refuses, ends the search.
  ///   - clientName: The client name recorded with the session's jobs (row A3).
  ///   - isReadOnly: Whether to give up the right to act, in this session and at the engine (row
  ///     A4).
  ///   - limit: Time for attempts to reconnect to an engine that goes away; zero makes no attempt.
  ///     A request waits for at most ten seconds of it; followed jobs wait for all of it.
  /// - Returns: A session that survives restarts of the engine and follows its jobs at the next
  ///   engine.
  /// - Throws: `engineUnreachable` if no process listens; `protocolMismatch` if the process that
  ///   listens is not an engine of this version (row S4); `notPermitted` if the user has no rights
  ///   at the engine, and for root if another user can replace a socket that the environment names;
  ///   `cancelled`.
  public static func connect(
    to socketPath: String? = nil, clientName: String, isReadOnly: Bool = false,
    reconnectingFor limit: Duration = .seconds(300)
  ) async throws(InstallationError) -> UpdateSession {
    let connection = try await EngineConnection.open(
      socketPath, clientName: clientName, isReadOnly: isReadOnly)
    let path = connection.path
    let link = EngineLink(connection, limit: limit) { () async throws(InstallationError) in
      try await EngineConnection.connect(to: path, clientName: clientName, isReadOnly: isReadOnly)
    }
    return UpdateSession(
      backend: SessionBackend(link), clientName: clientName, isReadOnly: isReadOnly)
  }
}

extension EngineConnection {
  /// Connects to the engine at `socketPath`; if that is nil, to the first candidate at which a
  /// process listens.
  ///
  /// - Throws: The errors of ``connect(to:clientName:isReadOnly:helloTimeout:timeouts:clock:)``. If
  ///   several sockets were tried, the error names them all.
  package static func open(
    _ socketPath: String?, clientName: String, isReadOnly: Bool = false
  ) async throws(InstallationError) -> EngineConnection {
    let environment = ProcessInfo.processInfo.environment
    let paths =
      socketPath.map { [$0] }
      ?? SocketPath.candidates(environment: environment, uid: geteuid())
    var failures: [InstallationError] = []
    for path in paths {
      if socketPath == nil { try requireTrust(inSocket: path) }
      do {
        return try await connect(to: path, clientName: clientName, isReadOnly: isReadOnly)
      } catch {
        guard error.code == .engineUnreachable, error.cause != .silentEngine else { throw error }
        failures.append(error)
      }
    }
    if failures.count == 1, let only = failures.first { throw only }
    throw InstallationError(
      .engineUnreachable, "no engine answers at " + paths.joined(separator: " or "),
      class: .transient,
      hint: "see it work with 'fettle try', or start one: 'fettle engine --help' says how")
  }

  /// Throws for root if another user can replace a socket that the environment names.
  ///
  /// A socket that the user names explicitly may belong to any user: the engine's answers are only
  /// data, and root has chosen the engine.
  ///
  /// - Throws: `notPermitted` with path and owner.
  private static func requireTrust(inSocket path: String) throws(InstallationError) {
    do throws(UntrustedPath) {
      try TrustedPath.requireForRoot(AbsolutePath.of(path))
    } catch {
      throw InstallationError(
        .notPermitted,
        "root does not use the engine's socket of the environment '\(path)': \(error)",
        class: .fatal,
        hint: "unset FETTLE_SOCKET and XDG_RUNTIME_DIR, or name that engine with --socket")
    }
  }

}

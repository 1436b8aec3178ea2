internal import FoundationEssentials
internal import Glibc
internal import HostSystem
public import InstallJobs

extension UpdateSession {
  /// Opens a session with a running engine (rows A1, A4, S3).
  ///
  /// - Parameters:
  ///   - socketPath: The engine's socket; nil tries ``SocketPath/candidates(environment:uid:)`` in
  ///     order and takes the first at which somebody listens; one that listens and does not answer, or
  ///     refuses, ends the search.
  ///   - clientName: The name under which this session's jobs are recorded (row A3).
  ///   - isReadOnly: Gives up the right to act, here and at the engine, for good (row A4).
  ///   - limit: How long an engine that goes away is tried to be reached again; zero gives it up at once.
  ///     Requests wait ten seconds of that at most, jobs are followed as long as it takes.
  /// - Returns: A session that outlives the engine's process: jobs of it are followed on at the next one.
  /// - Throws: `engineUnreachable` when nobody listens; `protocolMismatch` when what listens is not
  ///   an engine of this version (row S4); `notPermitted` when the engine lets this user do nothing, and for
  ///   root where another user can replace a socket that the environment names; `cancelled`.
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
  /// Connects to the engine at `socketPath`, or to the first that answers.
  ///
  /// - Throws: As ``connect(to:clientName:isReadOnly:patience:)``; when several sockets were tried,
  ///   the error names them all.
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
        guard error.code == .engineUnreachable, !isSilence(error) else { throw error }
        failures.append(error)
      }
    }
    if failures.count == 1, let only = failures.first { throw only }
    throw InstallationError(
      .engineUnreachable, "no engine answers at " + paths.joined(separator: " or "),
      class: .transient,
      hint: "see it work with 'fettle try', or start one: 'fettle engine --help' says how")
  }

  /// Refuses, for root, a socket that the environment names and that another user can replace.
  ///
  /// A socket that is named explicitly may be any user's: what its engine answers is data, and root
  /// has decided whom to talk to.
  ///
  /// - Throws: `notPermitted`, naming path and owner.
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

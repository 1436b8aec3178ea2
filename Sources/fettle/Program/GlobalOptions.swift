import ArgumentParser
import Glibc
import HostSystem
import InstallJobs
import JobClient
import Settings
import ThemeCatalog

/// The options of every command.
struct GlobalOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The engine's socket.", valueName: "path"))
  var socket: String?

  @Option(help: ArgumentHelp("auto, never, 16, 256 or truecolor.", valueName: "level"))
  var color: ColorChoice?

  @Flag(help: "Draw with ASCII characters only.")
  var ascii = false

  @Option(help: ArgumentHelp("A theme's name, or the path of a theme file.", valueName: "theme"))
  var theme: String?

  @Flag(help: "Print lines instead of drawing a screen.")
  var plain = false

  @Flag(help: "Look only: whatever changes jobs is refused.")
  var readOnly = false

  /// Throws for a theme that cannot be used, whether or not the command draws anything.
  func validate() throws {
    guard let theme else { return }
    var choice = ThemeChoice(wanted: theme, shelf: .ofUser)
    if case .broken(let issue, _) = choice.read() { throw ValidationError("\(issue)") }
  }

  /// The socket named by option or environment; nil when any engine may be used.
  var namedSocket: String? {
    socket ?? ProcessEnvironment.all["FETTLE_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Why a monitor must not change jobs; nil when it may.
  func readOnlyReason(_ settings: Settings) -> String? {
    if readOnly { return "read-only: started with --read-only" }
    return settings.readOnly == true ? "read-only: set in the settings" : nil
  }

  /// Connects to the engine that the options name, or to the first engine that answers.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether to give up the right to act.
  ///   - limit: How long the session tries to reach an engine again that went away: zero for
  ///     commands, which fail with their engine; ``restartLimit`` for commands that follow jobs.
  /// - Returns: An open session.
  /// - Throws: `engineUnreachable` with a hint; `protocolMismatch`.
  func connect(
    isReadOnly: Bool = false, reconnectingFor limit: Duration = .zero
  ) async throws(InstallationError) -> UpdateSession {
    do {
      return try await UpdateSession.connect(
        to: socket, clientName: "fettle", isReadOnly: readOnly || isReadOnly,
        reconnectingFor: limit)
    } catch {
      guard error.code == .engineUnreachable, error.cause != .silentEngine else {
        throw error
      }
      throw InstallationError(
        .engineUnreachable, error.message, class: .transient,
        hint: Self.noEngineHint(euid: geteuid(), socket: namedSocket))
    }
  }

  /// Time within which a restarted service is back; a script that follows a job gets an error for
  /// a dead engine after it.
  static let restartLimit = Duration.seconds(5)

  /// Returns the hint for a user without a reachable engine.
  ///
  /// - Parameters:
  ///   - euid: The user's effective id.
  ///   - socket: The socket that the user named; nil for none.
  /// - Returns: One line.
  static func noEngineHint(euid: UInt32, socket: String? = nil) -> String {
    if let socket, socket != SocketPath.system {
      let own = euid == 0 ? "" : "sudo "
      return "start that engine with 'fettle engine --root DIR --state DIR --socket PATH' and"
        + " the folders that it had; or name none (unset FETTLE_SOCKET), for the machine's, started with"
        + " '\(own)systemctl start fettled'; or see it work with 'fettle try'"
    }
    return euid == 0
      ? "start it with 'systemctl start fettled' or 'fettle engine', or see it work with 'fettle try'"
      : "see it work with 'fettle try'; for an engine of your own 'fettle root create DIR', then"
        + " 'fettle engine --root DIR'; the machine's needs root: 'sudo systemctl start fettled'"
  }
}

extension ColorChoice: ExpressibleByArgument {}

/// The machine's local time.
enum LocalTime: Sendable {
  /// Seconds east of UTC at present.
  static var offset: Int { offset(at: .now) }

  /// Seconds east of UTC at a moment.
  static func offset(at moment: Timestamp) -> Int {
    var seconds = time_t(moment.milliseconds / 1000)
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    return unsafe parts.tm_gmtoff
  }
}

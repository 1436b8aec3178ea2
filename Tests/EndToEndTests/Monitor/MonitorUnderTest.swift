import FoundationEssentials
import Glibc
import Support
import Testing

/// `fettle` on a terminal of its own, with what a person at it would see.
final class MonitorUnderTest: Sendable {
  static let columns = 100
  static let rows = 30
  let terminal = PseudoTerminal(columns: columns, rows: rows)
  private let program: TerminalProgram

  /// Starts the monitor as the test user, whose the folder is.
  ///
  /// - Parameters:
  ///   - arguments: What follows `fettle`.
  ///   - folder: The place for its temporary files and settings.
  ///   - type: The type of the terminal.
  convenience init(_ arguments: [String], folder: TestFolder, type: String = "xterm-256color") {
    self.init(
      command: TestUser.prefix + [EngineUnderTest.path("fettle")] + arguments, folder: folder,
      type: type)
  }

  /// Starts a program that leads to the monitor.
  ///
  /// - Parameters:
  ///   - command: The executable's absolute path and its arguments.
  ///   - folder: The place for its temporary files and settings.
  ///   - type: The type of the terminal.
  init(command: [String], folder: TestFolder, type: String = "xterm-256color") {
    var environment = ToolOutput.plain
    environment["HOME"] = folder.path
    environment["TMPDIR"] = folder.path
    environment["XDG_CONFIG_HOME"] = folder.path("config")
    environment["TERM"] = type
    environment["LC_ALL"] = "C.UTF-8"
    program = TerminalProgram(
      command[0], Array(command.dropFirst()), on: terminal, environment: environment)
  }

  deinit { program.signal(SIGKILL) }

  /// Types.
  func type(_ keys: String) { terminal.send(keys) }

  /// Waits until a line of the screen satisfies a condition.
  ///
  /// - Returns: The whole screen then.
  @discardableResult
  func line(
    _ what: String, where isMet: @escaping @Sendable (Substring) -> Bool
  ) async throws -> String {
    try await screen(what) { $0.split(separator: "\n").contains(where: isMet) }
  }

  /// Waits until the screen satisfies a condition.
  ///
  /// - Returns: The whole screen then.
  @discardableResult
  func screen(
    _ what: String, _ isMet: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    var picture = ""
    try await eventually(what, within: .seconds(240)) {
      picture = Self.picture(terminal.output)
      return isMet(picture)
    }
    return picture
  }

  /// Answers a question on the screen, again each second until the screen satisfies a condition.
  ///
  /// What comes between the question's first sight and its reading is thrown away on purpose.
  ///
  /// - Returns: The whole screen then.
  @discardableResult
  func answer(
    _ key: String, _ what: String, until isMet: @escaping @Sendable (String) -> Bool
  ) async throws -> String {
    let clock = ContinuousClock()
    var next = clock.now
    var picture = ""
    try await eventually(what, within: .seconds(240)) {
      picture = Self.picture(terminal.output)
      if isMet(picture) { return true }
      if clock.now >= next {
        type(key)
        next = clock.now.advanced(by: .seconds(1))
      }
      return false
    }
    return picture
  }

  /// Kills the program.
  func kill() { program.signal(SIGKILL) }

  /// Waits for the program's end.
  func end() async -> TerminalProgram.End { await program.end() }

  private static func picture(_ bytes: [UInt8]) -> String {
    let emulator = EmulatedTerminal(columns: columns, rows: rows)
    emulator.feed(bytes)
    return (0..<rows).map { emulator.line($0) }.joined(separator: "\n")
  }
}

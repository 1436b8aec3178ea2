import FoundationEssentials
import Glibc
import Support
import Synchronization
import Testing

/// The two executables over one package root, as they are installed side by side.
///
/// Everything runs as the test user and lies in the repository's folder.
final class EngineUnderTest: Sendable {
  let repository: PackageRepository
  private let permit: Permit
  private let engine = Mutex<RunningProgram?>(nil)
  private let count = Mutex(0)

  /// Makes the root and starts an engine on it.
  init(
    _ fixtures: [PackageFixture]? = nil, isMultiarch: Bool = false, settings: String? = nil
  ) async throws {
    permit = await Permit()
    repository = try await PackageRepository(fixtures, isMultiarch: isMultiarch)
    try TestFolder.makeFolder(folder.path("config/fettle"))
    if let settings {
      try TestFolder.write(settings, to: folder.path("config/fettle/config.toml"))
    }
    try await start()
  }

  deinit { engine.withLock { $0?.signal(SIGKILL) } }

  var folder: TestFolder { repository.folder }
  var socket: String { folder.path("engine.sock") }
  var state: String { folder.path("state") }
  var root: String { repository.root }

  /// The process of the engine.
  var pid: pid_t { engine.withLock { $0?.pid ?? 0 } }
  /// What the engine wrote to standard error.
  var errors: String { engine.withLock { $0?.errors ?? "" } }

  // MARK: The engine

  /// The arguments of the engine.
  var arguments: [String] {
    ["engine", "--root", root, "--state", state, "--socket", socket]
  }

  /// Starts the engine, or another build of it, and waits until it serves.
  func start(_ executable: String = path("fettled")) async throws {
    let program = try launch(executable, arguments)
    try await program.until("ready") { $0.contains("ready") }
    engine.withLock { $0 = program }
  }

  /// Ends the engine as a service manager does.
  func stop() async throws {
    let program = try #require(engine.withLock { $0 })
    program.signal(SIGTERM)
    #expect(try await program.status() == 0, "\(program.errors)")
  }

  /// Ends the engine the hard way.
  func kill() async throws {
    let program = try #require(engine.withLock { $0 })
    program.signal(SIGKILL)
    #expect(try await program.status() == 137)
  }

  // MARK: Programs

  /// An executable that was built beside the tests.
  static func path(_ name: String) -> String { BuiltProgram.path(name) }

  /// The environment of both programs: the test user's own places, in the folder.
  var environment: [String: String] {
    var variables = ToolOutput.plain
    variables["HOME"] = folder.path
    variables["TMPDIR"] = folder.path
    variables["FETTLE_SOCKET"] = socket
    variables["XDG_CONFIG_HOME"] = folder.path("config")
    variables["XDG_STATE_HOME"] = folder.path("xdg-state")
    return variables
  }

  /// Starts a program and leaves it running.
  func launch(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil,
    prefix: [String] = TestUser.prefix
  ) throws -> RunningProgram {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return try RunningProgram(
      [program] + arguments, environment: environment ?? self.environment,
      stem: folder.path("program-\(number)"), prefix: prefix)
  }

  /// Starts `fettle` and leaves it running.
  func follow(_ arguments: String...) throws -> RunningProgram {
    try launch(Self.path("fettle"), arguments)
  }

  /// Runs `fettle` to its end.
  @discardableResult
  func fettle(_ arguments: String...) async throws -> Answer { try await fettle(arguments) }

  /// Runs `fettle` to its end.
  @discardableResult
  func fettle(
    _ arguments: [String], environment: [String: String]? = nil,
    prefix: [String] = TestUser.prefix
  ) async throws -> Answer {
    let program = try launch(
      Self.path("fettle"), arguments, environment: environment, prefix: prefix)
    let status = try await program.status()
    return Answer(status: status, output: program.output, errors: program.errors)
  }

  // MARK: What tests look at

  /// One job as `show --json` gives it.
  func job(_ id: Int) async throws -> JSONValue { try await fettle("show", "\(id)", "--json").json }

  /// Waits until a job is or was in a state.
  func wait(for id: Int, _ state: String) async throws {
    let watch = try follow("watch", "\(id)", "--json", "--from", "0")
    try await watch.until("job \(id) in state \(state)") { lines in
      try lines.contains { line in
        guard line.contains(state) else { return false }
        let event = try JSONValue(line)
        return event["change"]?["state"] == .string(state)
          || event["outcome"]?["state"] == .string(state)
      }
    }
  }

  /// Waits until the script of a held package runs.
  func waitUntilHeld(_ name: String) async throws {
    try await eventually("the script of \(name)", within: .seconds(240)) {
      TestFolder.exists(root + "/at-" + name)
    }
  }

  /// Lets the script of a held package go on.
  func release(_ name: String) throws { try TestFolder.write("", to: root + "/go-" + name) }

  /// The package database, byte by byte, and the jobs: what must not change by what is refused.
  func record() async throws -> [String] {
    [
      TestFolder.text(of: root + "/var/lib/dpkg/status") ?? "",
      try await fettle("jobs", "--all", "--json").output,
    ]
  }

  /// The durable events after a number, in order.
  func events(after seq: Int = 0) async throws -> [JSONValue] {
    let last = Int(try #require(try await fettle("status", "--json").json["seq"]?.double))
    guard last > seq else { return [] }
    let watch = try follow("watch", "--json", "--from", "\(seq)")
    defer { watch.signal(SIGKILL) }
    try await watch.until("event \(last)") { lines in
      // More may have come since the engine was asked.
      let newest = lines.last.flatMap { (try? JSONValue($0))?["seq"]?.double }
      return newest.map { $0 >= Double(last) } ?? false
    }
    return try watch.lines.map { try JSONValue($0) }.filter(\.isDurable)
  }
}

/// The right to run an engine, given back with the value.
private final class Permit: Sendable {
  init() async { await Permits.engines.take() }

  deinit { Permits.engines.giveBack() }
}

/// What a command left behind.
struct Answer: Sendable {
  var status: Int32
  var output: String
  var errors: String

  /// Standard output as JSON.
  var json: JSONValue {
    get throws { try JSONValue(output) }
  }

  /// The number that a submitting command printed.
  var id: Int {
    get throws {
      try #require(Int(output.prefix { $0 != "\n" }), "status \(status): \(output)\(errors)")
    }
  }
}

extension JSONValue {
  init(_ text: String) throws {
    do {
      self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    } catch {
      throw FixtureError("not JSON: \(text.prefix(500))")
    }
  }

  var double: Double? { if case .number(let value) = self { value } else { nil } }
  var string: String? { if case .string(let value) = self { value } else { nil } }
  var names: Set<String> {
    if case .object(let members) = self { Set(members.keys) } else { [] }
  }

  /// The element of an array; nil beyond its end.
  subscript(index: Int) -> JSONValue? {
    elements.indices.contains(index) ? elements[index] : nil
  }

  /// Whether an event is numbered for itself.
  var isDurable: Bool { self["type"] != "progress" && self["type"] != "log" }
}

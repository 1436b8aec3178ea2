import Glibc
import InstallJobs
import JobClient
import Support

/// A `fettled` that runs as the test user on a private root with real apt and dpkg, and a session.
struct RealEngine: Sendable {
  let repository: PackageRepository
  let session: UpdateSession

  /// Builds a root, starts an engine on it, and ends it after `body`.
  ///
  /// - Parameters:
  ///   - fixtures: What the repository offers; nil for the standard packages.
  ///   - variables: Further variables of the engine's environment.
  ///   - settings: The text of the engine's settings file; nil for none.
  ///   - surroundings: What comes before the engine's command, as root where tests are: limits, mounts.
  ///   - body: The test.
  /// - Throws: What the test throws, or why the engine did not come up.
  static func run(
    _ fixtures: [PackageFixture]? = nil, variables: [String: String] = [:],
    settings: String? = nil,
    within surroundings: (PackageRepository) throws -> [String] = { _ in [] },
    _ body: @Sendable (RealEngine) async throws -> Void
  ) async throws {
    let repository = try await PackageRepository(fixtures)
    let socket = repository.folder.path("engine.sock")
    var environment = ToolOutput.plain
    environment["HOME"] = repository.folder.path
    if let settings {
      let configuration = repository.folder.path("config")
      try TestFolder.makeFolder(configuration + "/fettle")
      try TestFolder.write(settings, to: configuration + "/fettle/config.toml")
      environment["XDG_CONFIG_HOME"] = configuration
    }
    for (name, value) in variables { environment[name] = value }
    let command = [
      executable, "engine", "--root", repository.root, "--state", repository.folder.path("state"),
      "--socket", socket,
    ]
    let prefix = try surroundings(repository) + TestUser.prefix
    let process = Task { [environment] in
      try await ToolOutput.of(prefix + command, environment: environment)
    }
    let session = try await eventually("an engine that answers", within: .seconds(240)) {
      try? await UpdateSession.connect(to: socket, clientName: "test")
    }
    let pid = try await session.status().engine.pid
    do {
      try await body(RealEngine(repository: repository, session: session))
    } catch {
      kill(pid, SIGKILL)
      _ = try? await process.value
      throw error
    }
    kill(pid, SIGTERM)
    try await process.value.expectSuccess("the engine")
  }

  /// The `fettled` that was built beside the tests.
  static var executable: String { BuiltProgram.path("fettled") }

  // MARK: What tests do and look at

  var root: String { repository.root }
  var socket: String { repository.folder.path("engine.sock") }

  /// Installs by name and waits.
  func install(
    _ names: String..., options: InstallationOptions = InstallationOptions()
  ) async throws -> InstallationResult {
    try await session.makeInstaller().install(
      names.map { try Update(parsing: $0) }, options: options)
  }

  /// Begins to install by name.
  func begin(
    _ names: String..., options: InstallationOptions = InstallationOptions()
  ) async throws -> InstallationJob {
    try await session.makeInstaller().beginInstallation(
      of: names.map { try Update(parsing: $0) }, options: options)
  }

  /// Carries out a repair job and waits.
  func repair() async throws -> InstallationResult {
    try await session.makeInstaller().begin(JobRequest(.repair, [])).result
  }

  /// dpkg's state word and version.
  func state(_ name: String) async throws -> String { try await repository.state(of: name) }

  /// The text of a file in the root.
  func text(_ path: String) -> String? { TestFolder.text(of: root + "/" + path) }

  /// Waits until the script of a held package runs.
  func untilHeld(_ name: String) async throws {
    try await eventually("the script of \(name)", within: .seconds(240)) {
      TestFolder.exists(root + "/at-" + name)
    }
  }

  /// Lets a held package go on.
  func release(_ name: String) throws { try TestFolder.write("", to: root + "/go-" + name) }
}

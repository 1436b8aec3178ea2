import Glibc
import InstallJobs
import JobClient
import JobScreen

/// One `fettle try`: folder, engine, jobs, monitor or lines, and the end of all that.
struct Trial {
  private let folder: ThrowawayFolder
  private let root: String
  private let scenario: String?
  private let quiet: Bool

  /// - Parameters:
  ///   - root: Where to keep the package root; nil throws it away.
  ///   - scenario: What to play instead of real installs.
  ///   - quiet: Whether to say nothing before the end.
  init(root: String?, scenario: String?, quiet: Bool) throws(InstallationError) {
    folder = try ThrowawayFolder()
    self.root = root.map(Self.absolute) ?? folder.path + "/root"
    self.scenario = scenario
    self.quiet = quiet
  }

  /// Runs it to the end.
  ///
  /// - Returns: The worst result of the jobs; after a monitor, success.
  /// - Throws: `sourceUnavailable` without network, naming the way out.
  func run(
    packages: [String], global: GlobalOptions, json: Bool
  ) async throws -> ExitStatus {
    defer { folder.remove() }
    say(
      scenario.map { "playing the scenario '\($0)'; nothing is installed" }
        ?? "making a throwaway package root; this machine's packages are not touched")
    if scenario == nil, geteuid() == 0 {
      say("you are root: the engine gives up its rights, no package script runs as root")
    }
    let engine = try start()
    defer { engine.end() }
    var global = global
    global.socket = socket
    let connection = try await global.connect()
    let jobs = try await submit(packages, on: connection)
    let screen = MonitorScreen(global)
    guard screen.isPossible else {
      return try await follow(jobs, on: connection, json: json)
    }
    let end = try await screen.run(on: connection)
    let last = try await global.connect()
    try await settle(last, end)
    screen.say(root.hasPrefix(folder.path) ? "the root is removed" : "the root is kept in \(root)",
      after: end)
    return .succeeded
  }

  private var socket: String { folder.path + "/engine.sock" }

  private func start() throws(InstallationError) -> ChildEngine {
    var arguments = ["--state", folder.path + "/state", "--socket", socket]
    if let scenario {
      arguments += ["--provider", "simulated:\(scenario)", "--play"]
    } else {
      arguments += ["--throwaway", "--root", root]
    }
    do {
      return try ChildEngine(arguments, errors: folder.path + "/engine.log")
    } catch {
      guard scenario == nil, error.message.contains("refresh the index") else { throw error }
      throw InstallationError(
        .sourceUnavailable, "this machine's package sources cannot be reached", class: .transient,
        detail: error.message,
        hint: "see it work without them: 'fettle try --simulated demo'")
    }
  }

  /// Submits what was named, or the choice; the scenario's jobs come by themselves.
  private func submit(
    _ packages: [String], on connection: EngineConnection
  ) async throws -> [JobID] {
    guard scenario == nil else { return [] }
    let backend = EngineBackend(connection)
    var options = InstallationOptions()
    options.clientName = "fettle try"
    guard packages.isEmpty else {
      let updates = try packages.map { try Update(parsing: $0) }
      return [try await backend.submit(JobRequest(.install, updates, options: options)).id]
    }
    var ids: [JobID] = []
    for choice in TrialChoice.all {
      let updates = try await choice.available(on: backend)
      guard !updates.isEmpty else { continue }
      options.comment = choice.comment
      ids.append(try await backend.submit(JobRequest(.install, updates, options: options)).id)
    }
    guard !ids.isEmpty else {
      throw InstallationError(
        .notApplicable, "none of the usual packages can be tried on this machine",
        class: .needsHuman, hint: "name some: 'fettle try PACKAGE…'")
    }
    return ids
  }

  private func follow(
    _ jobs: [JobID], on connection: EngineConnection, json: Bool
  ) async throws -> ExitStatus {
    let backend = EngineBackend(connection)
    var known = jobs
    if scenario != nil {
      // The engine submits the scenario's jobs, the first ones before it is ready or soon after.
      for try await element in try await connection.subscribe() {
        if case .rows(let rows) = element { known += rows.map(\.id) }
        if case .event(let event) = element, case .submitted(let job) = event.payload {
          known.append(job.id)
        }
        if !known.isEmpty { break }
      }
      known = try await backend.jobs(in: nil).map(\.id)
    }
    let status = try await Following(connection, jobs: Set(known), prints: !json).untilEnd()
    var whole: [JobSnapshot] = []
    for id in known { whole.append(try await backend.job(id)) }
    if json { try Report.json(whole) }
    return status
  }

  /// After the monitor: asks what to do with jobs that are not over, and does it.
  private func settle(_ connection: EngineConnection, _ end: MonitorSession.End) async throws {
    let backend = EngineBackend(connection)
    let open = try await backend.jobs(in: nil).filter { !$0.state.isFinal }
    guard !open.isEmpty else { return }
    var aborts = true
    if case .quit = end {
      let count = open.count == 1 ? "1 job is" : "\(open.count) jobs are"
      aborts = Question.ask(
        "\(count) not over. Abort or wait? [a/W] ", yes: "a", otherwise: "w")
    }
    for job in open where aborts { _ = try? await backend.requestAbort(of: job.id) }
    let ids = Set(open.map(\.id))
    _ = try await Following(connection, jobs: ids, prints: !quiet).untilEnd()
  }

  private func say(_ text: String) {
    if !quiet { Report.line(text) }
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let here = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(here) }
    return unsafe String(cString: here) + "/" + path
  }
}

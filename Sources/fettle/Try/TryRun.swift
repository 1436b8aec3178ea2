import Glibc
import InstallJobs
import JobClient
import JobText
import Monitor

/// One `fettle try`: creates the folder, starts the engine, submits the jobs, shows the monitor or
/// lines, and removes all.
struct TryRun {
  private let folder: ThrowawayFolder
  private let root: String
  private let isKept: Bool
  private let scenario: String?
  private let quiet: Bool

  /// The options of every job of a try.
  static var options: InstallationOptions {
    var options = InstallationOptions()
    options.clientName = "fettle try"
    return options
  }

  /// - Parameters:
  ///   - root: Where to keep the package root; nil removes it at the end.
  ///   - scenario: The simulated scenario to play instead of real installs; nil for real installs.
  ///   - quiet: Whether to print nothing before the end.
  /// - Throws: `noSpace` when the folder cannot be created.
  init(root: String?, scenario: String?, quiet: Bool) throws(InstallationError) {
    folder = try ThrowawayFolder()
    self.root = root.map(Self.absolute) ?? folder.path + "/root"
    isKept = root != nil
    self.scenario = scenario
    self.quiet = quiet
  }

  /// Runs the try to its end.
  ///
  /// - Returns: The worst result of the jobs; success after a monitor.
  /// - Throws: `sourceUnavailable` without network, with a hint; the error that prevents the
  ///   installation of the named packages.
  func run(
    packages: [String], global: GlobalOptions, json: Bool
  ) async throws -> ExitStatus {
    let engine: ChildEngine
    do {
      engine = try start()
    } catch {
      folder.remove()
      throw error
    }
    let leaving = interruptHandler
    var global = global
    global.socket = folder.path + "/engine.sock"
    let result: Result<Outcome, any Error>
    do {
      result = .success(try await run(packages, on: engine, global, json: json))
    } catch {
      result = .failure(error)
    }
    end(engine)
    leaving.end()
    switch try result.get() {
    case .lines(let status):
      if isKept { say("the root is kept in \(root)") }
      return status
    case .monitor(let end):
      MonitorScreen(global).say(
        isKept
          ? "the root is kept in \(root)"
          : scenario == nil ? "the root is removed" : "the simulation is over", after: end)
      return .succeeded
    }
  }

  private enum Outcome {
    case lines(ExitStatus)
    case monitor(MonitorSession.End)
  }

  private func run(
    _ packages: [String], on engine: ChildEngine, _ global: GlobalOptions, json: Bool
  ) async throws -> Outcome {
    let session = try await global.connect()
    let screen = MonitorScreen(global)
    guard screen.isPossible else {
      let lines = TryLines(session, prints: !json)
      let jobs: [JobSnapshot]
      do {
        jobs = try await lines.untilEnd {
          guard self.scenario == nil else { return engine.waitUntilPlayed() }
          _ = try await submit(packages, on: session) { text in say(text) }
        }
      } catch let error as InstallationError where error.code == .engineUnreachable {
        // The workers of the old engine continue; the new engine follows them.
        try engine.restartIfExited()
        let again = try await global.connect()
        jobs = try await TryLines(again, prints: !json).untilEnd {}
      }
      if json { try Report.json(jobs.map { $0.advised(Report.addressed) }) }
      return .lines(jobs.reduce(.succeeded) { $0.worse(ExitStatus($1)) })
    }
    // Errors of named packages are printed before the screen opens.
    if !packages.isEmpty { _ = try await submit(packages, on: session) { text in say(text) } }
    let end = try await screen.run(on: session) { () async throws(InstallationError) in
      try engine.restartIfExited()
      return try await global.connect()
    } companion: { tell in
      do {
        if scenario == nil, packages.isEmpty {
          _ = try await submit([], on: session) { text in tell(.notice(text)) }
        }
        tell(.notice("x aborts the selected job, c cleans up, Enter opens it, ? shows every key"))
      } catch let error as InstallationError {
        tell(.notice(error.advised(Report.addressed).description, isAlert: true))
      } catch {
        tell(.notice("\(error)", isAlert: true))
      }
    }
    if case .quit = end {
      try engine.restartIfExited()
      try await waitForJobs(try await global.connect())
    }
    return .monitor(end)
  }

  // MARK: The beginning

  private func start() throws(InstallationError) -> ChildEngine {
    var arguments = [
      "--state", folder.path + "/state", "--socket", folder.path + "/engine.sock",
      "--remove-at-end", folder.path,
    ]
    if let scenario {
      arguments += ["--provider", "simulated:\(scenario)"]
    } else {
      say("making a package root for the try; this machine's packages are not touched")
      if geteuid() == 0 {
        say("you are root: the engine gives up its rights, no package script runs as root")
      }
      arguments += ["--throwaway", "--root", root]
    }
    do {
      let engine = try ChildEngine(
        arguments, playing: scenario == nil ? [] : ["--play"],
        errors: folder.path + "/engine.log"
      ) { say("fetching the package index of this machine's sources …") }
      // Printed only after the engine has accepted the scenario.
      if let scenario { say("playing the scenario '\(scenario)'; nothing is installed") }
      return engine
    } catch {
      guard scenario == nil, [.downloadFailed, .sourceUnavailable].contains(error.code) else {
        throw error
      }
      throw InstallationError(
        .sourceUnavailable, "this machine's package sources cannot be reached", class: .transient,
        detail: error.message,
        hint: "see it work without them: 'fettle try --simulated demo'")
    }
  }

  /// Submits the named packages, or the default jobs.
  private func submit(
    _ packages: [String], on session: UpdateSession,
    saying tell: @Sendable (String) -> Void
  ) async throws -> [JobID] {
    guard packages.isEmpty else {
      tell("planning \(packages.joined(separator: ", ")) …")
      let updates = try packages.map { try Update(parsing: $0) }
      return [try await session.submit(JobRequest(.install, updates, options: Self.options)).id]
    }
    var ids: [JobID] = []
    for choice in TryPackages.all {
      try Task.checkCancellation()
      tell("planning \(ids.isEmpty ? "the first" : "the next") job: \(choice.comment) …")
      if let id = try await choice.submit(to: session) { ids.append(id) }
    }
    guard !ids.isEmpty else {
      throw InstallationError(
        .notApplicable, "none of the usual packages can be tried on this machine",
        class: .needsHuman, hint: "name some: 'fettle try PACKAGE…'")
    }
    return ids
  }

  // MARK: The end

  /// Ends the engine, which aborts its jobs, waits for them and removes the folder.
  private func end(_ engine: ChildEngine) {
    let report = { (line: String) in Report.note(line) }
    engine.end(report)
    // The engine was killed: a new engine ends the remaining work before the folder is removed.
    if folder.isThere, (try? engine.restartAfterEnd()) != nil { engine.end(report) }
    if folder.isThere {
      Report.note("'\(folder.path)' is left: it could not be removed, or work still goes on in it")
    }
  }

  /// Ctrl-C outside the monitor: this program exits; the engine aborts its jobs and removes its
  /// folder.
  private var interruptHandler: Interrupt {
    Interrupt {
      Report.note("you left; what is open is aborted, then the folder of the try is removed")
      Report.exit(.viewerLeft)
    }
  }

  /// After the monitor: asks whether to abort or to await the jobs that have not ended, and does
  /// that.
  private func waitForJobs(_ session: UpdateSession) async throws {
    let open = try await session.jobs().filter { !$0.state.isFinal }
    guard !open.isEmpty else { return }
    let standstill = BlockedJobs(try await session.status(), open)
    let count = open.count == 1 ? "1 job is" : "\(open.count) jobs are"
    let aborts = Question.ask(
      "\(count) not over\(standstill.words). Abort them (a) or \(standstill.offer) (Enter)? ",
      yes: "a", otherwise: "w")
    // The last in the queue comes first, so that no job starts while another is aborted.
    for job in open.reversed() where aborts { _ = try? await session.requestAbort(of: job.id) }
    _ = try await TryLines(session, prints: !quiet).untilEnd {
      if !aborts { await standstill.end(on: session) }
    }
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

internal import Glibc
internal import JobClient

/// A real `fettled` over a private root or a scenario, to be killed and started again on the same
/// folders.
actor RunningEngine {
  /// The folder with root, state and socket, as the engine sees it; its owner is who the engine is.
  nonisolated let home: String
  /// Where that folder really is: elsewhere for an engine that works on a copy of it.
  nonisolated let folder: String
  private let program: String
  private let work: [String]
  private let prefix: [String]
  private let log: String
  private let owner: RootOwner
  private var running: ChildProgram?

  /// What an engine works on.
  enum Ground: Sendable, Hashable {
    /// The private root in the folder `root` of its home.
    case privateRoot
    /// The same, of an engine that its owner starts with the settings in `home/fettle/config.toml`.
    case privateRootOfUser
    /// The system tree there.
    case chroot
    /// The scenario in a file.
    case scenario(String)
    /// The same, of an engine that its owner starts with the settings in `home/fettle/config.toml`.
    case scenarioOfUser(String)

    fileprivate var isStartedByOwner: Bool {
      switch self {
      case .privateRootOfUser, .scenarioOfUser: true
      case .privateRoot, .chroot, .scenario: false
      }
    }

    /// Started by root on a private root it becomes the home's owner before it does anything.
    fileprivate func arguments(in home: String) -> [String] {
      switch self {
      case .privateRoot: ["--throwaway", "--root", home + "/root"]
      case .chroot, .privateRootOfUser: ["--root", home + "/root"]
      case .scenario(let file), .scenarioOfUser(let file): ["--provider", "simulated:" + file]
      }
    }
  }

  /// An engine that is not started yet.
  ///
  /// - Parameters:
  ///   - home: The folder with root, state and socket.
  ///   - copy: A copy of `home` that is to stand in its place for this engine; only root can do that.
  ///   - ground: What it works on.
  ///   - owner: Whose the folder is.
  ///   - log: A file for what it prints.
  /// - Throws: ``CannotMeasure`` when there is no `fettled`.
  init(
    in home: String, replacedBy copy: String? = nil, _ ground: Ground, owner: RootOwner,
    log: String
  ) throws(CannotMeasure) {
    self.home = home
    folder = copy ?? home
    work = ground.arguments(in: home)
    prefix = ground.isStartedByOwner ? owner.prefix : []
    self.log = log
    self.owner = owner
    program = try NeighbourProgram.path("fettled")
  }

  deinit { running?.kill() }

  /// Where it listens.
  nonisolated var socket: String { folder + "/engine.sock" }
  /// Its state folder.
  nonisolated var state: String { home + "/state" }

  /// Starts the engine and connects to it.
  ///
  /// - Throws: ``CannotMeasure`` when it does not come up within two minutes, with its last words.
  func start() async throws -> EngineConnection {
    let child = try launch()
    let limit = ContinuousClock.now + .seconds(120)
    while child.status == nil, ContinuousClock.now < limit {
      if let connection = try? await EngineConnection.connect(
        to: socket, clientName: "fettle-bench", helloTimeout: 60)
      {
        return connection
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw CannotMeasure("the engine does not come up: \(child.output.suffix(500))")
  }

  /// Starts the engine and kills it after a while, whether it has come up or not.
  ///
  /// - Returns: Whether it was still running.
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  func startInVain(for life: Duration) async throws -> Bool {
    let child = try launch()
    try await Task.sleep(for: life)
    return child.kill()
  }

  private func launch() throws(CannotMeasure) -> ChildProgram {
    var environment = PrivateRoot.environment
    for name in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
      environment[name] = home
    }
    let command =
      prefix + [program, "engine", "--state", state, "--socket", home + "/engine.sock"] + work
    let child = try ChildProgram(
      folder == home ? command : Self.mounting + [folder, home] + command,
      environment: environment, log: log)
    running = child
    return child
  }

  /// Puts a folder in another's place for what it then becomes, and for nobody else (unshare(1)).
  private static let mounting = [
    "/usr/bin/unshare", "--mount", "/bin/sh", "-ec",
    #"mount --bind "$1" "$2"; shift 2; exec "$@""#, "sh",
  ]

  /// Its process; nil while there is none.
  var process: Int32? { running?.process }

  /// Kills it at once.
  ///
  /// - Returns: Whether it was still running.
  func kill() -> Bool { running?.kill() ?? false }

  /// Ends it as a service manager does.
  func stop() async {
    guard let running else { return }
    running.signal(SIGTERM)
    _ = try? await onOwnThread { running.wait() }
    self.running = nil
  }

  /// Ends whatever is left of its jobs' work, below its own state folder and of its own user only.
  nonisolated func endWork() {
    for _ in 0..<50 {
      let rows = ProcessTable.all().filter { $0.owner == owner.uid }
      let sessions = Set(rows.workers(below: state).map(\.session))
      let rest = rows.filter { sessions.contains($0.session) }
      if rest.isEmpty { return }
      for row in rest { Glibc.kill(row.process, SIGKILL) }
      usleep(20_000)
    }
  }
}

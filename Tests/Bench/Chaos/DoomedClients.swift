internal import Glibc

/// A monitor on a terminal, one over ssh and a `fettle watch`, there to be killed.
///
/// For one lane at a time. A monitor outlives its engine and waits for it; a `fettle watch` ends with
/// it.
final class DoomedClients {
  private let path: String
  private let socket: String
  private let home: String
  /// Nil where the machine has no ssh server to be had.
  private let shell: SecureShell?
  private var monitor: WatchedProgram?
  private var distant: WatchedProgram?
  private var watch: ChildProgram?
  /// Monitors that outlived their link before.
  private var survivors: Set<pid_t> = []

  /// No client yet, and an ssh server where there can be one.
  ///
  /// - Parameters:
  ///   - socket: The engine's socket.
  ///   - home: Their home folder.
  /// - Throws: ``CannotMeasure`` when there is no `fettle`.
  init(of socket: String, in home: String) async throws {
    path = try NeighbourProgram.path("fettle")
    self.socket = socket
    self.home = home
    shell = await SecureShell.isAvailable() ? try await SecureShell() : nil
  }

  /// Starts all of them.
  ///
  /// - Throws: ``CannotMeasure`` when one cannot be started.
  func start() throws(CannotMeasure) {
    try startHere()
    try startDistant()
  }

  private var command: [String] { [path, "--socket", socket] }

  private func startHere() throws(CannotMeasure) {
    monitor = try WatchedProgram(path, Array(command.dropFirst()), environment: environment)
    watch = try ChildProgram(
      [path, "watch", "--json", "--socket", socket], environment: environment,
      log: home + "/watch.log")
  }

  private func startDistant() throws(CannotMeasure) {
    guard let words = shell?.command(command, variables: environment) else { return }
    distant = try WatchedProgram(words[0], Array(words.dropFirst()), environment: environment)
  }

  /// Kills the monitor or the watch, the other should that be gone, and starts both anew.
  ///
  /// - Returns: Whether there was one to kill.
  /// - Throws: ``CannotMeasure`` when they cannot be started again.
  func killOne(choosing numbers: inout Irregular) throws(CannotMeasure) -> Bool {
    let isHit =
      numbers.next(below: 2) == 0
      ? killMonitor() || watch?.kill() == true : watch?.kill() == true || killMonitor()
    try startHere()
    return isHit
  }

  private func killMonitor() -> Bool {
    guard let monitor else { return false }
    drain(monitor)
    return monitor.isOpen && Glibc.kill(monitor.process, SIGKILL) == 0
  }

  // What it has drawn is taken first: it must not stand still because nobody reads.
  private func drain(_ program: WatchedProgram) {
    program.readUntilSilent(.milliseconds(1), limit: program.now + .milliseconds(20))
  }

  /// Kills an ssh link's client, or at the far end what serves it; looks what is left of the monitor
  /// there, and starts another link.
  ///
  /// - Returns: How many monitors have outlived their link by ten seconds; nil where there was no link
  ///   with a monitor behind it.
  /// - Throws: ``CannotMeasure`` when it cannot be started again.
  func cutLink(atFarEnd: Bool) async throws -> Int? {
    guard let shell, let distant else { return nil }
    drain(distant)
    let behind = distantMonitors.subtracting(survivors)
    // One that was begun while there was no engine has ended by itself.
    guard distant.isOpen else {
      try startDistant()
      return nil
    }
    guard !behind.isEmpty else { return nil }
    if atFarEnd {
      shell.cutLinks()
    } else {
      _ = Glibc.kill(distant.process, SIGKILL)
    }
    _ = try await EventFollower.wait(within: .seconds(10)) {
      behind.isDisjoint(with: distantMonitors)
    }
    let left = behind.intersection(distantMonitors)
    survivors.formUnion(left)
    try startDistant()
    return left.count
  }

  /// The monitors of this engine that an ssh server has started.
  private var distantMonitors: Set<pid_t> {
    ProcessTable.processes(running: command).filter { $0 != monitor?.process }
  }

  private var environment: [String: String] {
    var environment = PrivateRoot.environment
    environment["TERM"] = "xterm-256color"
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
      environment[name] = home
    }
    return environment
  }

  /// Ends all of them.
  func end() {
    monitor = nil
    distant = nil
    watch = nil
  }
}

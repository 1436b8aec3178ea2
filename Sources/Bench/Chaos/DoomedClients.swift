internal import Glibc

/// A monitor on a terminal and a `fettle watch`, there to be killed.
///
/// For one thread at a time: it belongs to one lane.
final class DoomedClients {
  private let path: String
  private let socket: String
  private let home: String
  private var monitor: WatchedProgram?
  private var watch: ChildProgram?

  /// No client yet.
  ///
  /// - Throws: ``CannotMeasure`` when there is no `fettle`.
  init(of socket: String, in home: String) throws(CannotMeasure) {
    path = try NeighbourProgram.path("fettle")
    self.socket = socket
    self.home = home
  }

  /// Starts both.
  ///
  /// - Throws: ``CannotMeasure`` when one cannot be started.
  func start() throws(CannotMeasure) {
    monitor = try WatchedProgram(path, ["--socket", socket], environment: environment)
    watch = try ChildProgram(
      [path, "watch", "--json", "--socket", socket], environment: environment,
      log: home + "/watch.log")
  }

  /// Kills one of them, the other should that be gone, and starts both anew.
  ///
  /// A monitor outlives its engine and waits for it; a `fettle watch` ends with it.
  ///
  /// - Returns: Whether there was one to kill.
  /// - Throws: ``CannotMeasure`` when they cannot be started again.
  func killOne(choosing numbers: inout Irregular) throws(CannotMeasure) -> Bool {
    let isHit =
      numbers.next(below: 2) == 0
      ? killMonitor() || watch?.kill() == true : watch?.kill() == true || killMonitor()
    try start()
    return isHit
  }

  private func killMonitor() -> Bool {
    guard let monitor else { return false }
    // What it has drawn is taken first: it must not stand still because nobody reads.
    monitor.readUntilSilent(.milliseconds(1), limit: monitor.now + .milliseconds(20))
    return monitor.isOpen && Glibc.kill(monitor.process, SIGKILL) == 0
  }

  private var environment: [String: String] {
    var environment = PrivateRoot.environment
    environment["TERM"] = "xterm-256color"
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
      environment[name] = home
    }
    return environment
  }

  /// Ends both.
  func end() {
    monitor = nil
    watch = nil
  }
}

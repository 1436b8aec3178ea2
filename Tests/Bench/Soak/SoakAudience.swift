internal import Glibc

/// Monitors that watch an engine for hours: one that stays, and others that come and go.
struct SoakAudience: Sendable {
  /// The monitor that stays.
  let path: String
  let socket: String
  let home: String

  /// - Throws: ``CannotMeasure`` when there is no `fettle`.
  init(of engine: RunningEngine) throws(CannotMeasure) {
    path = try NeighbourProgram.path("fettle")
    socket = engine.socket
    home = engine.home
  }

  /// Keeps one monitor open until `stop` is raised.
  ///
  /// - Parameters:
  ///   - stop: Ends the stay.
  ///   - started: Is told its process.
  /// - Returns: Whether it was still there at the end.
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  func stay(
    until stop: StopSign, started: @escaping @Sendable (Int32) -> Void
  ) async throws -> Bool {
    try await onOwnThread { [self] in
      let monitor = try open(stop)
      started(monitor.process)
      while monitor.isOpen, !stop.isRaised {
        monitor.read(until: monitor.now + .seconds(5))
        monitor.forget()
      }
      return monitor.isOpen
    }
  }

  /// Opens monitors, each for a while, until `stop` is raised; they look around and leave by their key.
  ///
  /// - Returns: How many came.
  /// - Throws: ``CannotMeasure`` when one cannot be started, shows no jobs, or does not leave by itself.
  func comeAndGo(until stop: StopSign, seed: UInt64) async throws -> Int {
    try await onOwnThread { [self] in
      var numbers = Irregular(seed: seed)
      var visits = 0
      while !stop.isRaised {
        let monitor = try open(stop)
        visits += 1
        for key in ["j", "\r", "l", "\u{1b}", "4", "1", "q"] {
          monitor.read(until: monitor.now + .milliseconds(200 + numbers.next(below: 3_000)))
          monitor.type(key)
        }
        monitor.read(until: monitor.now + .seconds(20))
        guard !stop.isRaised else { break }
        guard !monitor.isOpen, monitor.output.firstRange(of: Array("live".utf8)) != nil else {
          throw CannotMeasure("monitor \(visits) showed nothing or did not leave by its key")
        }
      }
      return visits
    }
  }

  private func open(_ stop: StopSign) throws -> WatchedProgram {
    var environment = PrivateRoot.environment
    environment["TERM"] = "xterm-256color"
    for name in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
      environment[name] = home
    }
    return try WatchedProgram(path, ["--socket", socket], environment: environment, stop: stop)
  }
}

internal import Glibc
internal import JobServer

/// A monitor on a terminal: ours, or one that it is compared with.
struct MonitorProgram: Sendable {
  /// How often it redraws by itself.
  enum Pace: Sendable, Hashable {
    /// As it comes; ours always follows its engine.
    case standard
    /// Ten times a second.
    case fast
    /// Every ten seconds, so that a key's echo stands alone.
    case slow
  }

  /// Its name, with the version where it is not ours.
  let title: String
  /// Words that are on its screen once that is whole: of the heading and of a row.
  let words: [String]
  private let path: String
  private let environment: [String: String]
  private let arguments: @Sendable (Pace) throws(CannotMeasure) -> [String]

  /// Our own monitor on a served queue of so many jobs.
  ///
  /// - Throws: ``CannotMeasure`` when it is not there.
  static func fettle(on queue: ServedQueue, jobs: Int, in workplace: Workplace)
    throws(CannotMeasure) -> MonitorProgram
  {
    let socket = queue.socket
    return MonitorProgram(
      title: "fettle", words: ["of \(jobs) jobs", "PROGRESS", "package-1 "],
      path: try NeighbourProgram.path("fettle"),
      environment: try workplace.environment(home: "fettle"),
      arguments: { _ in ["--socket", socket] })
  }

  /// htop; nil when it is not installed.
  ///
  /// - Throws: ``CannotMeasure`` when its folders cannot be made.
  static func htop(in workplace: Workplace) throws(CannotMeasure) -> MonitorProgram? {
    let environment = try workplace.environment(home: "htop")
    guard let program = InstalledProgram("htop", environment: environment) else { return nil }
    return MonitorProgram(
      title: program.title, words: ["PID", ownName], path: program.path,
      environment: environment,
      arguments: { pace in
        switch pace {
        case .standard: []
        case .fast: ["-d", "1"]
        case .slow: ["-d", "100"]
        }
      })
  }

  /// btop; nil when it is not installed.
  ///
  /// - Throws: ``CannotMeasure`` when its folders cannot be made.
  static func btop(in workplace: Workplace) throws(CannotMeasure) -> MonitorProgram? {
    let environment = try workplace.environment(home: "btop")
    guard let program = InstalledProgram("btop", environment: environment) else { return nil }
    let folder = try workplace.folder("btop/config/btop")
    return MonitorProgram(
      title: program.title, words: ["Pid:", ownName], path: program.path,
      environment: environment,
      arguments: { pace throws(CannotMeasure) in
        let interval = pace == .fast ? 100 : pace == .slow ? 10_000 : 2_000
        try SmallFile.write("update_ms = \(interval)\n", to: folder + "/btop.conf")
        return []
      })
  }

  /// This user's name as far as a column for names has room: it stands in many a row of processes.
  private static var ownName: String { String(Accounts.name(of: geteuid()).prefix(7)) }

  /// Starts it on a terminal of its own.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  func start(_ pace: Pace, rows: Int, stop: StopSign) throws(CannotMeasure) -> WatchedProgram {
    try WatchedProgram(
      path, try arguments(pace), environment: environment, rows: rows, stop: stop)
  }
}

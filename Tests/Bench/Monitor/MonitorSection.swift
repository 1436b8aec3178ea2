/// The monitor's figures, each by the same recipe as those of htop and btop beside it.
struct MonitorSection: Section {
  static let name = "monitor"
  /// The jobs of the queue that the monitor is measured on.
  static let jobs = 2_000
  /// The processes that the peers are given to show.
  static let sleepers = 200

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    _ = try NeighbourProgram.path("fettle")
    let workplace = try Workplace()
    defer { workplace.remove() }
    say("preparing \(Self.jobs) jobs and \(Self.sleepers) sleeping processes")
    let sleepers = try Sleepers(Self.sleepers)
    defer { sleepers.end() }
    let peers = try await onOwnThread { try MonitorPeers(in: workplace) }
    let stop = StopSign()
    let measurements = MonitorMeasurements(
      workplace: workplace, peers: peers, effort: effort, stop: stop)
    return try await withTaskCancellationHandler {
      var figures: [Figure] = []
      for (what, part) in measurements.parts {
        say(what)
        let result: Result<[Figure], any Error>
        do { result = .success(try await part()) } catch { result = .failure(error) }
        // What a part says that was told to stop is not true.
        try Task.checkCancellation()
        figures += try result.get()
      }
      return figures
    } onCancel: {
      stop.raise()
    }
  }
}

/// The monitors of processes that ours is compared with, as far as they are installed.
struct MonitorPeers: Sendable {
  let installed: [MonitorProgram]
  /// The names of those that are not.
  let missing: [String]

  /// Looks for them.
  ///
  /// - Throws: ``CannotMeasure`` when their folders cannot be made.
  init(in workplace: Workplace) throws(CannotMeasure) {
    let found = [
      ("htop", try MonitorProgram.htop(in: workplace)),
      ("btop", try MonitorProgram.btop(in: workplace)),
    ]
    installed = found.compactMap(\.1)
    missing = found.filter { $0.1 == nil }.map(\.0)
  }

  /// What a reader is told about those that are missing; nil when none is.
  var note: String? {
    missing.isEmpty ? nil : missing.joined(separator: ", ") + " not installed: not compared"
  }
}

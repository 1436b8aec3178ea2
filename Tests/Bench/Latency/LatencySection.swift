internal import InstallJobs
internal import JobClient

/// From a line in the job's file of dpkg's status to the cell on a monitor's screen.
///
/// Engine, job, worker, apt and dpkg are real. dpkg is in the middle of a package whose script waits;
/// meanwhile the section appends to the file what dpkg would write of other packages of the plan.
/// Between line and cell lie the engine's look at the file, its journal, the wire and the monitor.
struct LatencySection: Section {
  static let name = "latency"

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let load = LatencyLoad(effort)
    say("preparing a plan of \(load.recipes.count) packages")
    let ground = try await ComparisonGround(load.recipes, pace: .unlimited)
    defer { ground.remove() }
    let stop = StopSign()
    return try await ground.onFreshEngine { ours in
      let status = try await Self.begin(ours)
      say("\(load.alone) lines alone, then \(load.bursts) bursts")
      let program = try NeighbourProgram.path("fettle")
      let measured = try await withTaskCancellationHandler {
        try await onOwnThread {
          let monitor = try WatchedProgram(
            program, ["--socket", ours.engine.socket], environment: ours.environment, rows: 24,
            stop: stop)
          return try Self.watch(monitor, load, status)
        }
      } onCancel: {
        stop.raise()
      }
      try Task.checkCancellation()
      // Its archives are hollow: what is left of the job must not go on.
      _ = await ours.engine.kill()
      ours.engine.endWork()
      return Self.figures(measured)
    }
  }

  /// Has the job come to its waiting package.
  ///
  /// - Returns: Its file of dpkg's status.
  private static func begin(_ ours: EngineUnderTest) async throws -> String {
    let backend = EngineBackend(ours.connection)
    let job = try await backend.submit(JobRequest(.install, [Update(LatencyLoad.wanted)]))
    let status = "\(ours.engine.state)/jobs/\(job.id.rawValue)/dpkg-status"
    let isThere = try await EventFollower.wait(within: .seconds(120)) {
      SmallFile.text(status)?.contains("\(LatencyLoad.gate): half-configured") ?? false
    }
    guard isThere else {
      let now = try await backend.job(job.id)
      throw CannotMeasure(
        "job \(job.id) does not begin: it is \(now.state), \(now.error?.message ?? "no error")")
    }
    return status
  }

  /// What came of the watching.
  private struct Measured: Sendable {
    var alone: [Double]
    var crowded: [Double]
    var overtaken: Int
    var linesPerSecond: Double
  }

  private static func watch(
    _ monitor: WatchedProgram, _ load: LatencyLoad, _ status: String
  ) throws -> Measured {
    let isShown = monitor.read(until: .seconds(60)) {
      ScreenText(monitor.output).shows(["PROGRESS", LatencyLoad.gate])
    }
    guard isShown else { throw CannotMeasure("the monitor does not show the job") }
    monitor.read(until: monitor.now + .seconds(2))
    let alone = try StatusLatency(monitor, appendingTo: status)
    try alone.writeAlone(0..<load.alone)
    let bursts = (0..<load.bursts).map { burst in
      load.crowd(of: burst).flatMap { StatusMark.lines($0) }
    }
    let crowded = try StatusLatency(monitor, appendingTo: status)
    let rate = try crowded.write(
      bursts: bursts, marks: load.alone..<load.alone + load.bursts)
    return Measured(
      alone: alone.latencies.map(\.milliseconds), crowded: crowded.latencies.map(\.milliseconds),
      overtaken: crowded.overtaken, linesPerSecond: rate)
  }

  private static func figures(_ measured: Measured) -> [Figure] {
    func figure(
      _ name: String, _ samples: [Double], _ share: Double, target: Double, note: String? = nil
    ) -> Figure? {
      Figure(
        Self.name, name, samples, value: samples.percentile(share), unit: "ms", target: target,
        note: note)
    }
    let note =
      "in bursts ten times a second, \(FigureTable.text(measured.linesPerSecond)) lines a second "
      + "in all; the last line of each is looked for, \(measured.overtaken) were overtaken"
    return [
      figure("status line to cell, half", measured.alone, 0.5, target: 30),
      figure("status line to cell, 99 %", measured.alone, 0.99, target: 100),
      figure(
        "status line to cell among 10000 a second, half", measured.crowded, 0.5, target: 30,
        note: note),
      figure(
        "status line to cell among 10000 a second, 99 %", measured.crowded, 0.99, target: 100),
    ].compactMap(\.self)
  }
}

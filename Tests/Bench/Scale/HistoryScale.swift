internal import InstallJobs
internal import JobClient

/// A real engine and a real monitor over a history that grows.
struct HistoryScale: Sendable {
  let workplace: Workplace
  let effort: Effort
  /// Jobs that are submitted one after the other at each size.
  private static let probes = 30

  /// Measures at each size, in order.
  ///
  /// - Throws: ``CannotMeasure``, what the engine refuses, `CancellationError`.
  func measure(_ sizes: [Int], _ say: (String) -> Void) async throws -> [Figure] {
    var figures = ScaleFigures(of: "jobs in history")
    for size in sizes {
      // Each size has a journal of its own: what is tried at one must not count at the next.
      let name = "history-\(size)"
      _ = try workplace.folder(name)
      let state = try workplace.folder(name + "/state")
      defer { workplace.removeFolder(name) }
      say("an engine and a monitor with \(size) jobs in history")
      let past = try PastJobs(inState: state)
      try await onOwnThread {
        try past.grow(to: size)
        try past.close()
      }
      let scenario = IdleJobs.scenario(packages: IdleJobs.packages)
      try await workplace.onStage(playing: scenario, in: name) { stage in
        try await measure(stage, size, &figures)
      }
    }
    figures.compare("time of a submit", 100_000, with: 1_000)
    figures.compare("time of an event in the engine", 100_000, with: 1_000)
    return figures.figures
  }

  private func measure(
    _ stage: Stage, _ size: Int, _ figures: inout ScaleFigures
  ) async throws {
    let process = stage.process
    // At rest with a monitor on it, before anything is asked.
    let environment = try workplace.environment(home: "monitor")
    let program = try NeighbourProgram.path("fettle")
    let (socket, settling) = (stage.engine.socket, effort.settling)
    let monitor = try await onOwnThread {
      let monitor = try WatchedProgram(program, ["--socket", socket], environment: environment)
      let isShown = monitor.read(until: .seconds(60)) {
        ScreenText(monitor.output).shows(["PROGRESS", "reinstall"])
      }
      guard isShown else { throw CannotMeasure("the monitor does not show its jobs") }
      monitor.read(until: monitor.now + .seconds(settling))
      return try ProcessMemory(of: monitor.process).resident
    }
    let engine = try ProcessMemory(of: process).resident
    figures.add(
      "memory of the engine at rest", at: size, [Double(engine) / 1e6], unit: "MB",
      target: size == 1 ? 40 : size == 100_000 ? 80 : nil)
    figures.add(
      "memory of the monitor", at: size, [Double(monitor) / 1e6], unit: "MB", target: 20,
      note: size == 1 ? nil : "it asks for the newest thousand at most")
    let submits = try await submits(to: stage)
    figures.add("time of a submit", at: size, submits, unit: "ms")
    let before = try ProcessClock.time(of: process)
    let seq = try await EngineBackend(stage.connection).status().seq
    _ = try await IdleJobs(stage.connection).run(Self.probes)
    let events = try await EngineBackend(stage.connection).status().seq - seq
    let spent = try ProcessClock.time(of: process) - before
    figures.add(
      "time of an event in the engine", at: size, [spent.milliseconds / Double(max(1, events))],
      unit: "ms", note: "processor time over \(events) durable events")
  }

  /// One request after the other; each job does nothing and is over before the next.
  private func submits(to stage: Stage) async throws -> [Double] {
    let backend = EngineBackend(stage.connection)
    var times: [Double] = []
    for index in 0..<Self.probes {
      let request = JobRequest(
        .reinstall, [Update(IdleJobs.packages[index % IdleJobs.packages.count])])
      let start = ContinuousClock.now
      let job = try await backend.submit(request)
      times.append((ContinuousClock.now - start).milliseconds)
      for try await snapshot in await backend.snapshots(of: job.id) where snapshot.state.isFinal {
        break
      }
    }
    return times
  }
}

internal import Glibc
internal import InstallJobs
internal import JobClient

/// What a client keeps of waits and requests that are over, and whether later ones cost more.
struct WaitSection: Section {
  static let name = "waits"

  /// How many are timed together.
  private static let group = 1_000

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let count = effort == .full ? 20_000 : 3_000
    let workplace = try Workplace()
    defer { workplace.remove() }
    let scenario = IdleJobs.scenario(packages: IdleJobs.packages)
    return try await workplace.onStage(playing: scenario) { stage in
      let session = try await UpdateSession.connect(
        to: stage.engine.socket, clientName: "fettle-bench")
      // The job waits for as long as this takes.
      try await session.pauseQueue()
      let job = try await session.makeInstaller().begin(
        JobRequest(.reinstall, [Update(IdleJobs.packages[0])]))
      say("\(count) waits that run out")
      var figures = try await Self.figures(of: count, "waits of 1 ms for a job") {
        let error = await Self.error { try await job.result(within: .milliseconds(1)) }
        guard error?.code == .timedOut else { throw CannotMeasure("a wait did not run out") }
      }
      say("\(count) waits that are cancelled")
      figures += try await Self.figures(of: count, "waits of 1 h for a job, cancelled") {
        let wait = Task { try await job.result(within: .seconds(3600)) }
        await Task.yield()
        wait.cancel()
        _ = await wait.result
      }
      say("\(count) requests")
      figures += try await Self.figures(of: count, "requests for the status") {
        _ = try await session.status()
      }
      await session.close()
      return figures
    }
  }

  private static func error(
    _ body: () async throws -> InstallationResult
  ) async -> InstallationError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? InstallationError
    }
  }

  /// Does something over and over, in this process.
  private static func figures(
    of count: Int, _ things: String, _ body: () async throws -> Void
  ) async throws -> [Figure] {
    // What the first ones take for good, later ones use again.
    for _ in 0..<group { try await body() }
    let before = try ProcessMemory(of: getpid()).resident
    var times: [Double] = []
    for _ in 0..<(count / group) {
      try Task.checkCancellation()
      let begin = ContinuousClock.now
      for _ in 0..<group { try await body() }
      times.append((ContinuousClock.now - begin).milliseconds / Double(group))
    }
    let growth = Double(try ProcessMemory(of: getpid()).resident - before) / 1e6
    let ratio = times.last.flatMap { last in times.first.map { last / $0 } }
    return [
      Figure(name, "memory left behind by \(count) \(things)", [growth], unit: "MB", target: 1),
      Figure(name, "time of one of \(count) \(things)", times, unit: "ms"),
      Figure(
        name, "time of \(things), the last \(group) of \(count) against the first",
        [ratio].compactMap(\.self), unit: "ratio", target: 1.3),
    ].compactMap(\.self)
  }
}

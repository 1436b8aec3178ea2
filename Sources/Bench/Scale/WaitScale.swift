internal import Glibc
internal import InstallJobs
internal import JobClient

/// What a client keeps of waits and requests that are over, and whether later ones cost more.
struct WaitScale: Sendable {
  let workplace: Workplace
  let effort: Effort

  /// How many there are of each kind.
  private var count: Int { effort == .full ? 20_000 : 4_000 }
  /// How many are timed together.
  private static let group = 1_000

  /// Measures in this process, against an engine whose queue is paused.
  ///
  /// - Throws: ``CannotMeasure``, what the engine refuses, `CancellationError`.
  func measure(_ say: (String) -> Void) async throws -> [Figure] {
    let scenario = IdleJobs.scenario(packages: IdleJobs.packages)
    defer { workplace.removeFolder("waits") }
    return try await workplace.onStage(playing: scenario, in: "waits") { stage in
      let session = try await UpdateSession.connect(
        to: stage.engine.socket, clientName: "fettle-bench")
      try await session.pauseQueue()
      let job = try await session.makeInstaller().begin(
        JobRequest(.reinstall, [Update(IdleJobs.packages[0])]))
      say("\(count) waits for a job that run out, \(count) that are cancelled, \(count) requests")
      var figures = try await figures(of: "waits for a job of 1 ms") {
        do throws(InstallationError) {
          _ = try await job.result(within: .milliseconds(1))
          throw CannotMeasure("a job of a paused queue is over")
        } catch {
          guard error.code == .timedOut else { throw error }
        }
      }
      figures += try await self.figures(of: "waits for a job of 1 h, cancelled") {
        let wait = Task { try await job.result(within: .seconds(3600)) }
        await Task.yield()
        wait.cancel()
        _ = await wait.result
      }
      figures += try await self.figures(of: "requests for the status") {
        _ = try await session.status()
      }
      await session.close()
      return figures
    }
  }

  /// Does something over and over.
  private func figures(
    of things: String, _ body: () async throws -> Void
  ) async throws -> [Figure] {
    // What the first ones take for good, later ones use again.
    for _ in 0..<Self.group { try await body() }
    let before = try ProcessMemory(of: getpid()).resident
    var times: [Double] = []
    for _ in 0..<(count / Self.group) {
      try Task.checkCancellation()
      let begin = ContinuousClock.now
      for _ in 0..<Self.group { try await body() }
      times.append((ContinuousClock.now - begin).milliseconds / Double(Self.group))
    }
    let growth = Double(try ProcessMemory(of: getpid()).resident - before) / 1e6
    let name = ScaleSection.name
    return [
      Figure(name, "memory that \(count) \(things) leave behind", [growth], unit: "MB", target: 1),
      Figure(name, "time of one of \(count) \(things)", times, unit: "ms"),
      Figure(
        name, "time of \(things), the last \(Self.group) of \(count) against the first",
        [(times.last ?? 0) / (times.first ?? 1)], unit: "ratio", target: 1.3),
    ].compactMap(\.self)
  }
}

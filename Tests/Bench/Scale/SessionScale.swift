internal import Glibc
internal import InstallJobs
internal import JobClient
internal import Synchronization

/// Very many jobs of one session, all of them in hand and followed at the same time.
struct SessionScale: Sendable {
  let workplace: Workplace
  let effort: Effort

  private static let follow = "time to begin and follow a job"
  private static let end = "time from job to job until all have completed"
  private static let client = "processor time of the client for a job"
  /// Jobs that are begun at the same time.
  private static let callers = 16

  /// Measures at two sizes, of which the second has ten times the jobs.
  ///
  /// - Throws: ``CannotMeasure``, what the engine refuses, `CancellationError`.
  func measure(_ say: (String) -> Void) async throws -> [Figure] {
    let size = effort == .full ? 10_000 : 1_000
    var figures = ScaleFigures(of: "live jobs in one session")
    for size in [size / 10, size] {
      try Task.checkCancellation()
      say("a session with \(size) live jobs")
      let name = "session-\(size)"
      defer { workplace.removeFolder(name) }
      let scenario = IdleJobs.scenario(packages: IdleJobs.packages)
      try await workplace.onStage(playing: scenario, in: name) { stage in
        try await measure(stage, size, &figures)
      }
    }
    for name in [Self.follow, Self.end, Self.client] {
      figures.compare(
        name, size, with: size / 10, target: 1.5, note: "1 where each job costs the same")
    }
    return figures.figures
  }

  private func measure(_ stage: Stage, _ size: Int, _ figures: inout ScaleFigures) async throws {
    let session = try await UpdateSession.connect(
      to: stage.engine.socket, clientName: "fettle-bench")
    // No job begins before all are followed.
    _ = try await session.pauseQueue()
    let tally = Tally()
    let memory = try ProcessMemory(of: getpid()).anonymous
    let before = try ProcessClock.time(of: getpid())
    let begin = ContinuousClock.now
    let jobs = try await Self.jobs(size, of: session, tally)
    try await tally.wait { $0.followed == size }
    figures.add(
      Self.follow, at: size, [(ContinuousClock.now - begin).milliseconds / Double(size)],
      unit: "ms")
    let used = Double(try ProcessMemory(of: getpid()).anonymous - memory)
    figures.add("memory of a job in the client", at: size, [used / Double(size) / 1e3], unit: "kB")
    let start = ContinuousClock.now
    _ = try await session.resumeQueue()
    try await tally.wait { $0.completions >= size }
    figures.add(
      Self.end, at: size, [(ContinuousClock.now - start).milliseconds / Double(size)], unit: "ms")
    figures.add(
      Self.client, at: size,
      [(try ProcessClock.time(of: getpid()) - before).milliseconds / Double(size)], unit: "ms",
      note: "from the request to the completion callback")
    for job in jobs {
      let result = try await job.result
      guard result.code == .succeeded else {
        throw CannotMeasure("job \(job.id) ended with \(result.code)")
      }
    }
    await session.close()
  }

  private static func jobs(
    _ count: Int, of session: UpdateSession, _ tally: Tally
  ) async throws -> [InstallationJob] {
    let installer = try session.makeInstaller()
    return try await withThrowingTaskGroup(of: [InstallationJob].self) { group in
      for caller in 0..<callers {
        group.addTask {
          var jobs: [InstallationJob] = []
          for index in stride(from: caller, to: count, by: callers) {
            let update = Update(IdleJobs.packages[index % IdleJobs.packages.count])
            jobs.append(
              try await installer.begin(
                JobRequest(.reinstall, [update]),
                onProgress: { _, progress in
                  // Only the first one tells this.
                  if progress.state == .queued { tally.note { $0.followed += 1 } }
                },
                onCompletion: { _ in tally.note { $0.completions += 1 } }))
          }
          return jobs
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }
}

/// What the callbacks of many jobs were called for.
private final class Tally: Sendable {
  struct Counts: Sendable {
    /// Jobs whose progress was seen.
    var followed = 0
    var completions = 0
  }

  private let counts = Mutex(Counts())

  /// What was counted up to now.
  var current: Counts { counts.withLock { $0 } }

  func note(_ change: @Sendable (inout Counts) -> Void) { counts.withLock { change(&$0) } }

  /// Waits until the counts are so.
  ///
  /// - Throws: ``CannotMeasure`` where they are not within ten minutes; `CancellationError`.
  func wait(until isSo: (Counts) -> Bool) async throws {
    guard try await EventFollower.wait(within: .seconds(600), until: { isSo(current) }) else {
      throw CannotMeasure(
        "\(current.followed) jobs were followed and \(current.completions) completed")
    }
  }
}

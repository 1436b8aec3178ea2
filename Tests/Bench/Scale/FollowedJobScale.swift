internal import Glibc
internal import InstallJobs
internal import JobClient
internal import Synchronization

/// One job of very many updates, which a program follows with the library and a progress callback.
struct FollowedJobScale: Sendable {
  let workplace: Workplace
  let effort: Effort

  private static let client = "processor time of a client that follows the job"

  /// Measures at two sizes, of which the second has twice the updates.
  ///
  /// - Throws: ``CannotMeasure``, what the engine refuses, `CancellationError`.
  func measure(_ say: (String) -> Void) async throws -> [Figure] {
    let size = effort == .full ? 10_000 : 1_000
    let rounds = effort == .full ? 3 : 1
    var figures = ScaleFigures(of: "updates in one job")
    for size in [size / 2, size] {
      var (client, engine) = ([Double](), [Double]())
      var pairs = PairedSamples()
      for round in 0..<rounds {
        try Task.checkCancellation()
        say("a client follows a job of \(size) updates, \(round + 1) of \(rounds)")
        let spent = try await follow(size)
        client.append(spent.client.seconds)
        engine.append(spent.engine.seconds)
        pairs.add(ours: spent.client.seconds, theirs: spent.engine.seconds)
      }
      figures.add(Self.client, at: size, client, unit: "s")
      figures.add("processor time of the engine for it", at: size, engine, unit: "s")
      figures.add(
        "client's processor time against the engine's", at: size, pairs.ratios, unit: "ratio",
        target: 1)
    }
    figures.compare(
      Self.client, size, with: size / 2, target: 2.4, note: "2 where each update costs the same")
    return figures.figures
  }

  /// Has a job carried out on an engine of its own.
  ///
  /// - Returns: The processor time of this process and of the engine.
  private func follow(_ size: Int) async throws -> (client: Duration, engine: Duration) {
    let packages = UpdateScale.names(size)
    let name = "followed-\(size)"
    defer { workplace.removeFolder(name) }
    let scenario = UpdateScale.scenario(packages)
    return try await workplace.onStage(playing: scenario, in: name) { stage in
      let session = try await UpdateSession.connect(
        to: stage.engine.socket, clientName: "fettle-bench")
      let installer = try session.makeInstaller()
      let before = try (ProcessClock.time(of: getpid()), ProcessClock.time(of: stage.process))
      let shown = Mutex(0.0)
      let job = try await installer.beginInstallation(
        of: packages.map { Update($0) },
        onProgress: { _, progress in shown.withLock { $0 = progress.overallFraction } })
      let result = try await job.result
      try await job.cleanUp()
      let spent = try (
        ProcessClock.time(of: getpid()) - before.0,
        ProcessClock.time(of: stage.process) - before.1
      )
      await session.close()
      guard result.code == .succeeded, shown.withLock({ $0 }) == 1 else {
        throw CannotMeasure(
          "the job of \(size) updates ended with \(result.code): \(result.error?.message ?? "")")
      }
      return spent
    }
  }
}

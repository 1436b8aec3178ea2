internal import Glibc
internal import InstallJobs
internal import JobClient

/// Users without rights, tools that hang and disks that are full, and what a client that behaves waits
/// for its answers meanwhile.
struct AttackSection: Section {
  static let name = "attack"

  /// The longest that an answer may take, in milliseconds.
  private static let bound = 100.0

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    guard geteuid() == 0 else {
      throw CannotMeasure("root only can play other users", hint: "run it as root")
    }
    let ground = try await ProvingGround(lanes: 1, onDisks: true, .privateRootOfUser)
    defer { ground.remove() }
    let place = ground.places[0]
    try ground.openSocketToEverybody(of: place.engine)
    return try await onPackageRoot(place, effort, say) + onFullQueue(of: ground, effort, say)
  }

  private func length(_ effort: Effort) -> Duration { .seconds(effort == .full ? 20 : 2) }

  private func onPackageRoot(
    _ place: ProvingGround.Place, _ effort: Effort, _ say: @Sendable (String) -> Void
  ) async throws -> [Figure] {
    try await withEngine(place.engine) { connection in
      let target = effort == .full ? Self.bound : nil
      let scene = try await AttackScene(
        place.engine, connection, packages: place.root.offered, length: length(effort))
      var figures: [Figure] = []
      let acts: [(String, StrangerCrowd.Act?)] = [
        ("nobody attacks", nil),
        ("a thousand half-open connections of forty users", .occupySeats),
        ("lines without an end", .sendHalfLines),
        ("plans that nobody waits for", .haveManyPlansMade),
      ]
      for (words, act) in acts {
        Self.announce(words, scene.length, say)
        figures += self.figures(words, try await scene.ask(during: act), target)
      }
      Self.announce("a solver that hangs", scene.length, say)
      figures += self.figures(
        "a solver that hangs", try await scene.askWhileSolverHangs(in: place.root), target)
      Self.announce("a full disk", scene.length, say)
      figures += self.figures("a full disk", try await scene.askOnFullDisk(), target)
      return figures
    }
  }

  /// Connections that follow all jobs and read nothing, while many jobs wait.
  private func onFullQueue(
    of ground: ProvingGround, _ effort: Effort, _ say: @Sendable (String) -> Void
  ) async throws -> [Figure] {
    let count = effort == .full ? 2_000 : 100
    let packages = IdleJobs.packages
    let engine = try ground.publicStage(playing: IdleJobs.scenario(packages: packages))
    return try await withEngine(engine) { connection in
      let target = effort == .full ? Self.bound : nil
      let scene = try await AttackScene(
        engine, connection, packages: packages, length: length(effort))
      let jobs = IdleJobs(connection, packages: packages)
      _ = try await scene.client.backend.pauseQueue()
      try await jobs.submit(count)
      let alone = "\(count) jobs wait, nobody attacks"
      let besieged = "\(count) jobs wait, sixty connections look at all and read nothing"
      Self.announce(alone, scene.length, say)
      let before = try await scene.ask(during: nil)
      Self.announce(besieged, scene.length, say)
      let during = try await scene.ask(during: .lookAtEverything)
      // A list costs what its length costs; under attack it must not cost more.
      let costs = (before.lists.percentile(0.95) ?? 0, during.lists.percentile(0.95) ?? 0)
      let ratio = Figure(
        Self.name, "a list of all jobs, 95 %: sixty connections against nobody",
        costs.0 > 0 ? [costs.1 / costs.0] : [], unit: "", target: effort == .full ? 2 : nil,
        note: "\(Int(costs.0)) ms with nobody")
      return figures(alone, before, target) + figures(besieged, during, target)
        + [ratio].compactMap(\.self)
    }
  }

  private func withEngine(
    _ engine: RunningEngine, _ body: (EngineConnection) async throws -> [Figure]
  ) async throws -> [Figure] {
    let connection = try await engine.start()
    do {
      let figures = try await body(connection)
      await engine.stop()
      return figures
    } catch {
      _ = await engine.kill()
      engine.endWork()
      throw error
    }
  }

  private static func announce(_ attack: String, _ length: Duration, _ say: (String) -> Void) {
    say("\(attack), for \(length)")
  }

  private func figures(
    _ words: String, _ answers: GoodClient.Answers, _ target: Double?
  ) -> [Figure] {
    [
      Figure(
        Self.name, "longest wait for an answer: \(words)", answers.times,
        value: answers.times.max() ?? 0, unit: "ms", target: target,
        note: "95 %: \(Int(answers.times.percentile(0.95) ?? 0)) ms"),
      Figure(
        Self.name, "requests that were not answered as they are to be: \(words)",
        [Double(answers.faults.count)], unit: "count", target: 0, note: answers.faults.first),
    ].compactMap(\.self)
  }
}

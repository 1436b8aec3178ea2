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
    let length = Duration.seconds(effort == .full ? 20 : 2)
    let ground = try await ProvingGround(lanes: 1, onDisks: true, .privateRootOfUser)
    defer { ground.remove() }
    let place = ground.places[0]
    try ground.openSocketToEverybody()
    let connection = try await place.engine.start()
    do {
      let scene = try await Scene(place: place, connection: connection, length: length)
      var figures: [Figure] = []
      say("nobody attacks, for \(length)")
      figures += scene.figures("nobody attacks", try await scene.ask(), target: nil)
      let acts: [(String, StrangerCrowd.Act)] = [
        ("a thousand half-open connections of forty users", .occupySeats),
        ("lines without an end", .sendHalfLines),
        ("plans that nobody waits for", .haveManyPlansMade),
      ]
      for (words, act) in acts {
        say("\(words), for \(length)")
        figures += scene.figures(
          words, try await scene.ask(during: act), target: effort == .full ? Self.bound : nil)
      }
      say("a solver that hangs, for \(length)")
      figures += scene.figures(
        "a solver that hangs", try await scene.askWhileSolverHangs(),
        target: effort == .full ? Self.bound : nil)
      say("a full disk, for \(length)")
      figures += scene.figures(
        "a full disk", try await scene.askOnFullDisk(),
        target: effort == .full ? Self.bound : nil)
      await place.engine.stop()
      return figures
    } catch {
      _ = await place.engine.kill()
      place.engine.endWork()
      throw error
    }
  }

  /// An engine with a job that is over.
  private struct Scene {
    let place: ProvingGround.Place
    let client: GoodClient
    let length: Duration
    let over: JobID
    let package: String

    init(
      place: ProvingGround.Place, connection: EngineConnection, length: Duration
    ) async throws {
      self.place = place
      self.length = length
      client = GoodClient(backend: EngineBackend(connection))
      package = place.root.offered[0]
      let backend = client.backend
      let job = try await backend.submit(JobRequest(.install, [Update(package)])).id
      let isOver = try await EventFollower.wait(within: .seconds(60)) {
        (try? await backend.job(job).state.isFinal) ?? false
      }
      guard isOver else { throw CannotMeasure("the first job does not end") }
      over = job
    }

    func ask() async throws -> GoodClient.Answers {
      try await client.ask(until: .now + length, over: over)
    }

    func ask(during act: StrangerCrowd.Act) async throws -> GoodClient.Answers {
      // Numbers that nobody has; one user only where many are not needed.
      let users = (0..<uid_t(act == .haveManyPlansMade ? 1 : 40)).map { 3_000_000_000 + $0 }
      let crowd = StrangerCrowd(
        at: place.engine.socket, act, users: users, package: place.root.offered[1])
      let attack = Task { try await onOwnThread { try crowd.attack() } }
      let result: Result<GoodClient.Answers, any Error>
      do {
        guard try await EventFollower.wait(within: .seconds(20), until: { crowd.harmDone > 50 })
        else { throw CannotMeasure("the attack does not begin: the engine lets nobody in") }
        result = .success(try await ask())
      } catch {
        result = .failure(error)
      }
      crowd.leave()
      try await attack.value
      return try result.get()
    }

    /// Seventy plans wait for a solver that does not end.
    func askWhileSolverHangs() async throws -> GoodClient.Answers {
      let solvers = place.root.path + "/solvers"
      guard unsafe mkdir(solvers, 0o755) == 0 else {
        throw CannotMeasure("cannot make '\(solvers)'")
      }
      try SmallFile.write("#!/bin/sh\nexec sleep 600\n", to: solvers + "/hanging")
      unsafe chmod(solvers + "/hanging", 0o755)
      let settings = place.root.path + "/etc/apt/apt.conf.d/99solver"
      try SmallFile.write(
        "APT::Solver \"hanging\";\nDir::Bin::solvers:: \"\(solvers)\";\n", to: settings)
      defer { unsafe unlink(settings) }
      let backend = client.backend
      let package = place.root.offered[2]
      let plans = (0..<70).map { _ in
        Task { _ = try? await backend.plan(JobRequest(.install, [Update(package)])) }
      }
      defer { for plan in plans { plan.cancel() } }
      guard
        try await EventFollower.wait(
          within: .seconds(20),
          until: { !ProcessTable.processes(running: ["sleep", "600"]).isEmpty })
      else { throw CannotMeasure("the solver is not run") }
      return try await ask()
    }

    func askOnFullDisk() async throws -> GoodClient.Answers {
      let filler = place.engine.home + "/filler"
      try SmallFile.fillDisk(filler)
      defer { unsafe unlink(filler) }
      return try await ask()
    }

    func figures(_ words: String, _ answers: GoodClient.Answers, target: Double?) -> [Figure] {
      let worst = answers.times.max() ?? 0
      return [
        Figure(
          AttackSection.name, "longest wait for an answer: \(words)", answers.times, value: worst,
          unit: "ms", target: target,
          note: "95 %: \(Int(answers.times.percentile(0.95) ?? 0)) ms"),
        Figure(
          AttackSection.name, "requests that were not answered as they are to be: \(words)",
          [Double(answers.faults.count)], unit: "count", target: 0,
          note: answers.faults.first),
      ].compactMap(\.self)
    }
  }
}

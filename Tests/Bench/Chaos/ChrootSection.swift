internal import JobClient

/// Real packages in chroots that mmdebstrap made, while engine, worker, dpkg and clients are killed.
struct ChrootSection: Section {
  static let name = "chroot"
  private let seed: UInt64

  init() { self.init(seed: .random(in: 1...999_999)) }

  init(seed: UInt64) { self.seed = seed }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let (runs, kills) = effort == .full ? (20, 12) : (1, 4)
    let workplace = try Workplace()
    defer { workplace.remove() }
    say("seed \(seed); making a chroot, then \(runs) runs on copies of it, \(kills) kills each")
    let base = try await ChrootTree.make(
      at: try workplace.folder("base") + "/root", log: workplace.path + "/tools.log")
    try await refresh(base, in: workplace)
    var tally = ChaosTally()
    for run in 1...runs {
      tally.add(try await disturb(base, kills, run: run, in: workplace, say))
    }
    var figures = tally.figures(Self.name, wanted: runs * kills, seed: seed)
    if let count = Figure(
      Self.name, "runs", [Double(runs)], unit: "count", better: .higher,
      note: "each on a fresh copy of the chroot")
    {
      figures.insert(count, at: 0)
    }
    return figures
  }

  /// Has the product fetch the index once, for all copies.
  private func refresh(_ base: ChrootTree, in workplace: Workplace) async throws {
    let engine = try RunningEngine(
      in: workplace.path + "/base", .chroot, owner: .root, log: workplace.path + "/base.log")
    do {
      try await EngineBackend(try await engine.start()).refresh()
    } catch {
      _ = await engine.kill()
      engine.endWork()
      throw error
    }
    await engine.stop()
  }

  private func disturb(
    _ base: ChrootTree, _ kills: Int, run: Int, in workplace: Workplace,
    _ say: @Sendable (String) -> Void
  ) async throws -> ChaosTally {
    let home = try workplace.folder("run-\(run)")
    let root = try await base.copy(to: home + "/root")
    let engine = try RunningEngine(in: home, .chroot, owner: .root, log: home + "/engine.log")
    let (messages, teller) = AsyncStream.makeStream(of: String.self)
    let seed = seed &* 1_000_003 &+ UInt64(run)
    let work = Task {
      defer { teller.finish() }
      let lane = try await ChaosLane(
        "chroot \(run)", root: root, engine: engine, seed: seed, tell: { teller.yield($0) })
      return try await lane.run(until: Quota(kills))
    }
    return try await withTaskCancellationHandler {
      for await message in messages { say(message) }
      let tally = try await work.value
      workplace.removeFolder("run-\(run)")
      return tally
    } onCancel: {
      work.cancel()
    }
  }
}

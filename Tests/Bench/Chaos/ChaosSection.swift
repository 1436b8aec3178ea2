/// Real installs in private roots while engine, worker and clients are killed at random moments.
struct ChaosSection: Section {
  static let name = "chaos"
  private let seed: UInt64

  init() { self.init(seed: .random(in: 1...999_999)) }

  init(seed: UInt64) { self.seed = seed }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let wanted = effort == .full ? 500 : 30
    say("seed \(seed); building packages, then \(wanted) kills")
    let ground = try await ProvingGround(lanes: effort == .full ? 3 : 2)
    defer { ground.remove() }
    let seed = seed
    let quota = Quota(wanted)
    let tally = try await ground.onAllPlaces(saying: say) { index, place, tell in
      let lane = try await ChaosLane(
        "root \(index + 1)", root: place.root, engine: place.engine,
        seed: seed &* 1_000_003 &+ UInt64(index), tell: tell)
      return try await lane.run(until: quota)
    }.reduce(into: ChaosTally()) { $0.add($1) }
    return tally.figures(Self.name, wanted: wanted, seed: seed)
  }
}

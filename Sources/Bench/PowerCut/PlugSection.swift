internal import Glibc

/// The power goes off at the level of blocks: root and state lie on a disk of their own, and what was
/// not yet written to it at that moment is lost.
///
/// All who write are stopped, the disk's image is copied, checked and mounted as at a boot, and a new
/// engine is started on it in the old one's place.
struct PlugSection: Section {
  static let name = "plug"
  private let seed: UInt64

  init() { self.init(seed: .random(in: 1...999_999)) }

  init(seed: UInt64) { self.seed = seed }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    guard geteuid() == 0 else {
      throw CannotMeasure(
        "a disk is made by root only", hint: "run it as root, or name other sections")
    }
    let cuts = effort == .full ? 100 : 3
    say("seed \(seed); building packages and disks, then \(cuts) cuts")
    let ground = try await ProvingGround(lanes: effort == .full ? 2 : 1, onDisks: true)
    defer { ground.remove() }
    let quota = Quota(cuts)
    let seed = seed
    let tally = try await ground.onAllPlaces(saying: say) { index, place, tell in
      try await PowerCutLane(
        "disk \(index + 1)", place: place, owner: ground.owner,
        seed: seed &* 1_000_003 &+ UInt64(index), tell: tell
      ).run(until: quota)
    }.reduce(into: PowerCutTally()) { $0.add($1) }
    return tally.figures(Self.name, wanted: cuts, seed: seed)
  }
}

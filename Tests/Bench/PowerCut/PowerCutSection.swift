internal import Glibc

/// The machine's power goes off in the middle of real installs, and a new engine finds what is left.
///
/// All who write are stopped in one moment, root and state folder are copied, and an engine is
/// started on the copy in their place. What the disk had not yet written at that moment is in the
/// copy, too: what a disk loses is not shown by this.
struct PowerCutSection: Section {
  static let name = "powercut"
  private let seed: UInt64

  init() { self.init(seed: .random(in: 1...999_999)) }

  init(seed: UInt64) { self.seed = seed }

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    try await Self.cut(effort, seed: seed, onDisks: false, as: Self.name, say)
  }

  /// Cuts again and again.
  ///
  /// - Parameters:
  ///   - effort: How often.
  ///   - seed: Where chance comes from.
  ///   - onDisks: Whether root and state lie on a disk of their own, which loses what was not yet written.
  ///   - name: The section's name.
  ///   - say: Tells what is done.
  /// - Returns: The figures.
  /// - Throws: ``CannotMeasure``, `CancellationError`.
  static func cut(
    _ effort: Effort, seed: UInt64, onDisks: Bool, as name: String,
    _ say: @Sendable (String) -> Void
  ) async throws -> [Figure] {
    guard geteuid() == 0 else {
      throw CannotMeasure(
        "an engine is put on a copy by root only", hint: "run it as root, or name other sections")
    }
    let cuts = effort == .full ? 100 : 3
    say("seed \(seed); building packages, then \(cuts) cuts")
    let ground = try await ProvingGround(lanes: effort == .full ? 2 : 1, onDisks: onDisks)
    defer { ground.remove() }
    let quota = Quota(cuts)
    let tally = try await ground.onAllPlaces(saying: say) { index, place, tell in
      try await PowerCutLane(
        "root \(index + 1)", place: place, owner: ground.owner,
        seed: seed &* 1_000_003 &+ UInt64(index), tell: tell
      ).run(until: quota)
    }.reduce(into: PowerCutTally()) { $0.add($1) }
    return tally.figures(name, wanted: cuts, seed: seed)
  }
}

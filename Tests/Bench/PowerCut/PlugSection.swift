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
    try await PowerCutSection.cut(effort, seed: seed, onDisks: true, as: Self.name, say)
  }
}

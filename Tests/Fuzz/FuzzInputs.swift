/// The inputs for a target.
package struct FuzzInputs<Target: FuzzTarget>: Sendable {
  private let target: Target
  private let seeds: [[UInt8]]
  private let tokens: [String]

  /// The inputs for `target`.
  package init(_ target: Target) {
    self.target = target
    seeds = target.seeds
    tokens = target.tokens
  }

  /// The input with this index: the same for the same seed, whichever inputs came before.
  package func input(seed: UInt64, index: Int) -> [UInt8] {
    var random = FuzzRandom(seed: seed, target: Target.name, index: index)
    switch random.below(8) {
    case 0: return (0..<random.below(48)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 1, 2: return target.sentence(&random, tokens)
    default:
      let isMade = random.oneIn(3) || seeds.isEmpty
      var mutation = Mutation(
        isMade ? target.sentence(&random, tokens) : random.one(of: seeds))
      for _ in 0...random.below(4) { mutation.change(&random, tokens: tokens, others: seeds) }
      return mutation.bytes
    }
  }
}

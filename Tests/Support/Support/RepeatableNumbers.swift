/// Random numbers that are the same each time (SplitMix64).
package struct RepeatableNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of a seed.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}

/// Random numbers that are the same for the same seed on every machine (SplitMix64).
package struct FuzzRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The numbers of `seed`.
  package init(seed: UInt64) { state = seed }

  /// The numbers of the input with this index of a target, whichever inputs came before.
  init(seed: UInt64, target: String, index: Int) {
    var mixed = seed
    for byte in target.utf8 { mixed = (mixed ^ UInt64(byte)) &* 0x100_0000_01b3 }
    self.init(seed: mixed &+ UInt64(truncatingIfNeeded: index) &* 0xd134_2543_de82_ef95)
  }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// A number from 0 up to, not including, `bound`; 0 for a bound of 0.
  mutating func below(_ bound: Int) -> Int {
    bound > 0 ? Int(next() % UInt64(bound)) : 0
  }

  /// Whether one of `count` equal chances comes true.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// One of the choices, which must not be empty.
  mutating func one<Choices: RandomAccessCollection>(of choices: Choices) -> Choices.Element {
    choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
  }

  /// Up to `most` of the parts one after the other, often few.
  mutating func words(_ parts: [String], most: Int, separator: String = "") -> String {
    (0..<below(1 + below(most + 1))).map { _ in one(of: parts) }.joined(separator: separator)
  }
}

/// SHA-256 (FIPS 180-4) of archives.
///
/// Written here because a library would cost more build time than the rest of the project.
package enum SHA256: Sendable {
  /// The digest of `bytes` in lower-case hexadecimal.
  package static func hexadecimal(of bytes: [UInt8]) -> String {
    var state = initial
    var words = [UInt32](repeating: 0, count: 64)
    var message = bytes[...]
    while message.count >= 64 {
      compress(message.prefix(64), into: &state, &words)
      message = message.dropFirst(64)
    }
    var tail = Array(message) + [0x80]
    while tail.count % 64 != 56 { tail.append(0) }
    let bits = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      tail.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    for start in stride(from: 0, to: tail.count, by: 64) {
      compress(tail[start..<start + 64], into: &state, &words)
    }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func compress(
    _ block: ArraySlice<UInt8>, into state: inout [UInt32], _ words: inout [UInt32]
  ) {
    for index in 0..<16 {
      let at = block.startIndex + index * 4
      words[index] =
        UInt32(block[at]) << 24 | UInt32(block[at + 1]) << 16 | UInt32(block[at + 2]) << 8
        | UInt32(block[at + 3])
    }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      let low = rotate(a, 7) ^ rotate(a, 18) ^ (a >> 3)
      let high = rotate(b, 17) ^ rotate(b, 19) ^ (b >> 10)
      words[index] = words[index - 16] &+ low &+ words[index - 7] &+ high
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let first =
        h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ constants[index]
        &+ words[index]
      let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() {
      state[index] = state[index] &+ word
    }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  // The first 32 bits of the fractional parts of the square roots of the first eight primes, and of
  // the cube roots of the first 64.
  private static let initial: [UInt32] = roots(8) { $0.squareRoot() }
  private static let constants: [UInt32] = roots(64) { cubeRoot($0) }

  private static func roots(_ count: Int, _ root: (Double) -> Double) -> [UInt32] {
    var primes: [Int] = []
    var candidate = 2
    while primes.count < count {
      if !primes.contains(where: { candidate % $0 == 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      let value = root(Double(prime))
      return UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }
  }

  private static func cubeRoot(_ value: Double) -> Double {
    var root = value / 3
    for _ in 0..<80 { root -= (root * root * root - value) / (3 * root * root) }
    return root
  }
}

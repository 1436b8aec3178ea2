/// Makes an input that fails smaller as long as it fails.
enum Shrinking: Sendable {
  /// Trials before what was found is good enough.
  private static let trialsAtMost = 5_000

  /// The smallest input found that still fails.
  static func smallest(_ input: [UInt8], fails: ([UInt8]) -> Bool) -> [UInt8] {
    var best = input
    var trials = 0
    var piece = max(1, best.count / 2)
    while piece > 0 {
      var place = 0
      var isSmaller = false
      while place < best.count, trials < trialsAtMost {
        var candidate = best
        candidate.removeSubrange(place..<min(best.count, place + piece))
        trials += 1
        if fails(candidate) {
          best = candidate
          isSmaller = true
        } else {
          place += piece
        }
      }
      // Once more with pieces of one byte, as long as that helps.
      piece = piece == 1 && isSmaller && trials < trialsAtMost ? 1 : piece / 2
    }
    return best
  }
}

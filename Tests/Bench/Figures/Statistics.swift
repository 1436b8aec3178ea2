extension Collection<Double> {
  /// The value in the middle, the mean of the two where there are two; nil of nothing.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The sum divided by the count; nil of nothing.
  var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }

  /// The smallest sample that at least `share` (0...1) of all samples do not exceed; nil of nothing.
  ///
  /// The nearest rank: always a sample that was measured, never a value between two.
  func percentile(_ share: Double) -> Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let rank = Int((share * Double(sorted.count)).rounded(.up))
    return sorted[Swift.min(Swift.max(rank, 1), sorted.count) - 1]
  }
}

/// Two programs measured in turn: each of ours with the one of theirs that ran beside it, so that
/// what loads the machine for a while weighs on both.
struct PairedSamples: Sendable, Hashable {
  /// One of ours and the one of theirs beside it, in the same unit.
  struct Pair: Sendable, Hashable {
    var ours: Double
    var theirs: Double
  }

  private(set) var pairs: [Pair] = []

  /// Takes one pair; one in which nothing was measured of the other has no ratio and is left out.
  mutating func add(ours: Double, theirs: Double) {
    guard theirs > 0 else { return }
    pairs.append(Pair(ours: ours, theirs: theirs))
  }

  /// Ours divided by theirs, pair by pair.
  var ratios: [Double] { pairs.map { $0.ours / $0.theirs } }
}

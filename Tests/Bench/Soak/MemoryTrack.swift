/// The memory of one process over a long run.
struct MemoryTrack: Sendable, Hashable {
  private var samples: [(at: Duration, bytes: Int)] = []

  /// Adds what the process has at a moment, counted from the run's start.
  mutating func note(_ bytes: Int, at moment: Duration) { samples.append((moment, bytes)) }

  /// The median of a quarter of the run, 1 to 4, in bytes; nil where nothing was looked at.
  func median(ofQuarter quarter: Int) -> Double? {
    guard let end = samples.last?.at else { return nil }
    let part = samples.filter { sample in
      sample.at * 4 > end * (quarter - 1) && sample.at * 4 <= end * quarter
    }
    return part.map { Double($0.bytes) }.median
  }

  /// The last quarter against the second: the first one fills what is filled once.
  var growth: Double? {
    guard let last = median(ofQuarter: 4), let second = median(ofQuarter: 2), second > 0 else {
      return nil
    }
    return last / second
  }

  static func == (one: MemoryTrack, other: MemoryTrack) -> Bool {
    one.samples.elementsEqual(other.samples) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(samples.count) }
}

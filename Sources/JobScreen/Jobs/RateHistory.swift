import InstallJobs

/// The rate of all downloads together over the last minute or so: the highest of each five seconds.
struct RateHistory: Sendable, Hashable {
  /// Samples kept.
  static let capacity = 16
  /// Milliseconds of one sample.
  static let interval: Int64 = 5000

  /// The samples, oldest first; nil where nothing was heard.
  private(set) var samples: [Double?] = []
  private var slot: Int64?

  /// Takes the rate that holds at a time of the engine's clock; one that went back counts as now.
  mutating func record(_ bytesPerSecond: Int, at time: Timestamp) {
    let now = time.milliseconds / Self.interval
    let rate = Double(bytesPerSecond)
    guard let slot, now > slot else {
      self.slot = slot ?? now
      guard let last = samples.indices.last else {
        samples = [rate]
        return
      }
      samples[last] = max(samples[last] ?? 0, rate)
      return
    }
    let silent = min(now - slot - 1, Int64(Self.capacity))
    samples += Array(repeating: nil, count: Int(silent))
    samples.append(rate)
    samples.removeFirst(max(0, samples.count - Self.capacity))
    self.slot = now
  }
}

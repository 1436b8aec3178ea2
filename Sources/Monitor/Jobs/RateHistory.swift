import InstallJobs

/// The total download rate of the last 80 seconds: the highest value of each five seconds.
struct RateHistory: Sendable, Hashable {
  /// The highest number of samples.
  static let capacity = 16
  /// Length of a sample in milliseconds.
  static let interval: Int64 = 5000

  /// The samples in bytes per second, oldest first; nil for five seconds without progress events.
  private(set) var samples: [Double?] = []
  private var slot: Int64?

  /// Records the rate at a time of the engine's clock; an earlier time counts as the last one.
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

import InstallJobs

/// The transfer rate over the last samples, which are at least half a second apart.
struct TransferRate: Sendable {
  private struct Sample: Sendable {
    var at: Timestamp
    var bytes: Int64
  }

  private var samples: [Sample] = []

  /// Adds the total number of bytes that have arrived up to `time`.
  mutating func note(_ bytes: Int64, at time: Timestamp) {
    if let last = samples.last {
      let pause = time.seconds(since: last.at)
      // The clock was set back: earlier samples are not comparable.
      if pause < 0 { reset() }
      if (0..<0.5).contains(pause) { return }
    }
    samples.append(Sample(at: time, bytes: bytes))
    if samples.count > 9 { samples.removeFirst() }
  }

  /// Discards all samples, because the transfer is over or starts again.
  mutating func reset() { samples = [] }

  /// Mean rate over the samples, in bytes per second; nil before the second sample.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let seconds = last.at.seconds(since: first.at)
    return seconds > 0 ? Double(last.bytes - first.bytes) / seconds : nil
  }
}

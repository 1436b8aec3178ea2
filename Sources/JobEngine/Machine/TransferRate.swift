import InstallJobs

/// Bytes per second over the last samples, each at least half a second long.
struct TransferRate: Sendable {
  private struct Sample: Sendable {
    var at: Timestamp
    var bytes: Int64
  }

  private var samples: [Sample] = []

  /// Notes the bytes that have arrived in all up to `time`.
  mutating func note(_ bytes: Int64, at time: Timestamp) {
    if let last = samples.last {
      let pause = time.seconds(since: last.at)
      // The clock was set back: what was before is of another time.
      if pause < 0 { reset() }
      if (0..<0.5).contains(pause) { return }
    }
    samples.append(Sample(at: time, bytes: bytes))
    if samples.count > 9 { samples.removeFirst() }
  }

  /// Forgets everything: the transfer is over or begins anew.
  mutating func reset() { samples = [] }

  /// The mean rate over the window; nil before the second sample.
  var bytesPerSecond: Double? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let seconds = last.at.seconds(since: first.at)
    return seconds > 0 ? Double(last.bytes - first.bytes) / seconds : nil
  }
}

/// What a program wrote to its terminal and when, as the other side read it.
struct OutputLog: Sendable, Hashable {
  /// One successful read.
  struct Reading: Sendable, Hashable {
    /// Since the program was started.
    var at: Duration
    var bytes: Int
  }

  private(set) var readings: [Reading] = []

  /// Takes a reading that is not older than the last one.
  mutating func add(_ reading: Reading) { readings.append(reading) }

  /// The readings from `start` on.
  func since(_ start: Duration) -> OutputLog {
    OutputLog(readings: Array(readings[readings.partitioningIndex { $0.at >= start }...]))
  }

  /// All bytes.
  var byteCount: Int { readings.reduce(0) { $0 + $1.bytes } }

  /// The bytes of each frame: readings closer together than `gap` are one.
  func frames(gap: Duration = .milliseconds(15)) -> [Int] {
    var frames: [Int] = []
    var last: Duration?
    for reading in readings {
      if let last, reading.at - last < gap {
        frames[frames.count - 1] += reading.bytes
      } else {
        frames.append(reading.bytes)
      }
      last = reading.at
    }
    return frames
  }
}

extension Array {
  /// The first index whose element satisfies a condition that all elements after it satisfy too.
  fileprivate func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Duration {
  /// In milliseconds.
  var milliseconds: Double { self / .milliseconds(1) }
}

/// What was shown of one run while it lasted.
struct ShownProgress: Sendable, Hashable {
  /// What stood on the screen from a moment on.
  struct Reading: Sendable, Hashable {
    /// Seconds since the run began.
    var at: Double
    /// Percent, 0...100.
    var percent: Double
    /// The seconds that were said to be left; nil where nothing was said.
    var left: Double?
  }

  /// In the order in which they were told.
  private(set) var readings: [Reading] = []
  /// Seconds from the beginning to the end.
  let length: Double

  /// Moments at which the screen is looked at, evenly over the run.
  static let looks = 500

  init(_ readings: [Reading], length: Double) {
    self.readings = readings
    self.length = length
  }

  /// What was shown at each of the moments, nothing but 0 % before the first reading.
  private var shown: [(time: Double, reading: Reading)] {
    var next = readings.startIndex
    var last = Reading(at: 0, percent: 0)
    return (0..<Self.looks).map { look in
      let time = (Double(look) + 0.5) / Double(Self.looks) * length
      while next < readings.endIndex, readings[next].at <= time {
        last = readings[next]
        next += 1
      }
      return (time, last)
    }
  }

  /// How far the percentage was from the share of the time that had passed, in percent of the whole,
  /// at each moment.
  var errors: [Double] {
    guard length > 0 else { return [] }
    return shown.map { abs($0.reading.percent - $0.time / length * 100) }
  }

  /// How far the seconds said to be left were from those that were left, in percent of the whole, at
  /// the moments at which any were said.
  var errorsOfEnd: [Double] {
    guard length > 0 else { return [] }
    return shown.compactMap { time, reading in
      reading.left.map { abs($0 - (length - time)) / length * 100 }
    }
  }

  /// The share of the time at which an end was said, in percent.
  var shareWithEnd: Double {
    Double(shown.count { $0.reading.left != nil }) / Double(Self.looks) * 100
  }
}

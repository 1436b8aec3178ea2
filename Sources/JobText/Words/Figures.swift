package import InstallJobs

/// Formatted numbers for people, each of bounded width.
package enum Figures: Sendable {
  /// Bytes with three digits and a unit: `812 B`, `1.1 MB`, `34.0 MB`.
  package static func bytes(_ count: Int64) -> String {
    let count = max(0, count)
    if count < 1000 { return "\(count) B" }
    let (value, unit) = scaled(Double(count))
    return "\(value) \(unit)B"
  }

  /// Transferred and total bytes, with the unit written once: `1.1/6.2 MB`.
  package static func bytes(_ part: Int64, of whole: Int64) -> String {
    let whole = max(0, whole)
    let part = min(max(0, part), whole)
    if whole < 1000 { return "\(part)/\(whole) B" }
    let (value, unit) = scaled(Double(whole))
    let size: Double = unit == "k" ? 1e3 : unit == "M" ? 1e6 : unit == "G" ? 1e9 : 1e12
    if part == whole { return "\(value)/\(value) \(unit)B" }
    let digits = value.contains(".") ? 1 : 0
    return "\(decimal(Double(part) / size, digits: digits, down: true))/\(value) \(unit)B"
  }

  /// A rate: `8.1 MB/s`.
  package static func rate(_ bytesPerSecond: Double) -> String {
    bytes(Int64(bytesPerSecond.bounded(to: 0...1e15))) + "/s"
  }

  /// Whole per cent, rounded down, so that only finished work shows 100 %.
  package static func percent(_ value: Double) -> String { "\(Int(value.bounded(to: 0...100)))%" }

  /// Whole seconds of a past length of time, rounded to the nearest.
  ///
  /// Every place that shows the length uses this value, so that all show the same number.
  package static func wholeSeconds(_ seconds: Double) -> Int {
    Int(seconds.bounded(to: 0...1e9).rounded())
  }

  /// A length of time: `7s`, `2m05s`, `1h10m`, `3d04h`.
  ///
  /// Seconds are left out above ten minutes.
  package static func duration(_ seconds: Double) -> String {
    let whole = wholeSeconds(seconds)
    switch whole {
    case ..<60: return "\(whole)s"
    case ..<600: return "\(whole / 60)m\(twoDigits(whole % 60))s"
    case ..<3600: return "\(whole / 60)m"
    case ..<86_400: return "\(whole / 3600)h\(twoDigits(whole % 3600 / 60))m"
    default: return "\(whole / 86_400)d\(twoDigits(whole % 86_400 / 3600))h"
    }
  }

  /// A length of time in at most `columns` columns: `14h02m`, else `14h`.
  ///
  /// The smaller unit is dropped first; the larger one is never cut. Four columns hold any value.
  package static func duration(_ seconds: Double, columns: Int) -> String {
    let text = duration(seconds)
    guard text.count > columns else { return text }
    let whole = Int(seconds.bounded(to: 0...1e9).rounded())
    let large =
      switch whole {
      case ..<3600: "\(whole / 60)m"
      case ..<86_400: "\(whole / 3600)h"
      default: "\(whole / 86_400)d"
      }
    return large.count > columns ? ">2y" : large
  }

  /// A running length of time: as ``duration(_:)``, but rounded down to completed seconds.
  package static func elapsed(_ seconds: Double, columns: Int = .max) -> String {
    duration(seconds.bounded(to: 0...1e9).rounded(.down), columns: columns)
  }

  /// A forecast length of time, rounded because it depends on other jobs: to 5 seconds below a
  /// minute, to 15 seconds below ten minutes, to minutes above.
  package static func forecast(_ seconds: Double) -> String {
    let seconds = seconds.bounded(to: 0...1e9)
    let step = seconds < 60 ? 5.0 : seconds < 600 ? 15.0 : 60.0
    return duration(max(5, (seconds / step).rounded() * step))
  }

  /// A length of time with tenths of a second below ten: `0.3s`, `9.9s`, then as ``duration(_:)``.
  package static func shortDuration(_ seconds: Double) -> String {
    let value = seconds.bounded(to: 0...1e9)
    guard value < 9.95 else { return duration(value) }
    return decimal(value, digits: 1, down: false) + "s"
  }

  /// The time of day, `14:02:31`, `offset` seconds east of UTC.
  package static func time(_ at: Timestamp, offset: Int) -> String {
    let seconds = (at.milliseconds / 1000 + Int64(offset)) % 86_400
    let day = Int(seconds < 0 ? seconds + 86_400 : seconds)
    return "\(twoDigits(day / 3600)):\(twoDigits(day / 60 % 60)):\(twoDigits(day % 60))"
  }

  /// Date and time of day, `01-31 14:02:31`, `offset` seconds east of UTC.
  package static func date(_ at: Timestamp, offset: Int) -> String {
    let text = at.advanced(bySeconds: Double(offset)).description
    return String(text.dropFirst(5).prefix(5)) + " " + time(at, offset: offset)
  }

  /// The time of day if `at` is on the day of `now`, else date and time.
  package static func moment(_ at: Timestamp, offset: Int, now: Timestamp?) -> String {
    func date(_ at: Timestamp) -> Substring { day(at, offset: offset).prefix(10) }
    return now.map(date) == date(at) ? time(at, offset: offset) : Self.date(at, offset: offset)
  }

  /// Date with its year and time of day, `2026-01-31 14:02:31`, `offset` seconds east of UTC.
  package static func day(_ at: Timestamp, offset: Int) -> String {
    let text = at.advanced(bySeconds: Double(offset)).description
    return String(text.prefix(10)) + " " + time(at, offset: offset)
  }

  static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// `1 job`, `2 jobs`.
  package static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func scaled(_ value: Double) -> (String, String) {
    var (value, unit) = (value / 1e3, 0)
    let units = ["k", "M", "G", "T"]
    while value >= 999.5, unit < units.count - 1 {
      value /= 1e3
      unit += 1
    }
    return (decimal(value, digits: value < 99.95 ? 1 : 0, down: false), units[unit])
  }

  private static func decimal(_ value: Double, digits: Int, down: Bool) -> String {
    guard digits > 0 else { return String(Int(down ? value : value.rounded())) }
    let tenths = Int(down ? value * 10 : (value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension Double {
  /// The value limited to `range`; its lower bound for NaN.
  package func bounded(to range: ClosedRange<Double>) -> Double {
    isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}

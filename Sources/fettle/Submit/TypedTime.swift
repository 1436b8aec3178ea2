import ArgumentParser
import HostSystem
import InstallJobs

/// Times as they are typed on the command line.
enum TypedTime: Sendable {
  /// An example of a time, for help texts.
  static let form = "like 2026-01-31T18:30:00+01:00"

  /// A time with its zone, in RFC 3339.
  ///
  /// - Parameter text: What was typed.
  /// - Returns: The moment.
  /// - Throws: `ValidationError` with an example.
  static func exact(_ text: String) throws -> Timestamp {
    if let time = Timestamp(text) { return time }
    throw ValidationError(
      "'\(text)' is not a time; write it with its zone, \(form) or 2026-01-31T17:30:00Z")
  }

  /// A time, or the beginning of a day in this machine's time zone: `today`, `yesterday`,
  /// `2026-01-31`.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - now: The present.
  ///   - offset: Seconds east of UTC at a moment. A day begins with the offset of that day.
  /// - Returns: The moment.
  /// - Throws: `ValidationError` with examples.
  static func past(
    _ text: String, now: Timestamp = Timestamp.now,
    offset: (Timestamp) -> Int = LocalTime.offset(at:)
  ) throws -> Timestamp {
    if let time = Timestamp(text) { return time }
    let day: Int64 = 86_400_000
    let today = (now.milliseconds + Int64(offset(now)) * 1000).flooredToMultiple(of: day)
    switch text {
    case "today": return moment(of: today, offset)
    case "yesterday": return moment(of: today - day, offset)
    default:
      guard let begin = Timestamp(text + "T00:00:00Z") else {
        throw ValidationError(
          "'\(text)' is not a time; write today, yesterday, a day like 2026-01-31, "
            + "or a time with its zone, \(form)")
      }
      return moment(of: begin.milliseconds, offset)
    }
  }

  /// Returns the moment at which local clocks show `shown`, in milliseconds as if they showed UTC.
  private static func moment(of shown: Int64, _ offset: (Timestamp) -> Int) -> Timestamp {
    // The offset depends on the moment and the moment on the offset; two rounds suffice for the
    // beginning of a day.
    var moment = Timestamp(milliseconds: shown)
    for _ in 0..<2 { moment.milliseconds = shown - Int64(offset(moment)) * 1000 }
    return moment
  }
}

extension Int64 {
  /// Returns the greatest multiple of `size` that is at most this number.
  fileprivate func flooredToMultiple(of size: Int64) -> Int64 {
    self - (self % size + size) % size
  }
}

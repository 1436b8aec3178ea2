import ArgumentParser
import InstallJobs

/// Times as they are typed on the command line.
enum TypedTime: Sendable {
  /// What a time looks like, for help.
  static let form = "like 2026-01-31T18:30:00+01:00"

  /// A time with its zone, in RFC 3339.
  ///
  /// - Parameter text: What was typed.
  /// - Returns: The moment.
  /// - Throws: `ValidationError` with an example.
  static func exact(_ text: String) throws -> Timestamp {
    if let time = Timestamp(text) { return time }
    throw ValidationError(
      "'\(text)' is no time; write it with its zone, \(form) or 2026-01-31T17:30:00Z")
  }

  /// A time, or the beginning of a day of this machine's zone: `today`, `yesterday`, `2026-01-31`.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - now: The present.
  ///   - offset: Seconds east of UTC.
  /// - Returns: The moment.
  /// - Throws: `ValidationError` with examples.
  static func past(
    _ text: String, now: Timestamp = LocalTime.now, offset: Int = LocalTime.offset
  ) throws -> Timestamp {
    if let time = Timestamp(text) { return time }
    let day: Int64 = 86_400_000
    let here = Int64(offset) * 1000
    let today = (now.milliseconds + here).flooredToMultiple(of: day) - here
    switch text {
    case "today": return Timestamp(milliseconds: today)
    case "yesterday": return Timestamp(milliseconds: today - day)
    default:
      guard let begin = Timestamp(text + "T00:00:00Z") else {
        throw ValidationError(
          "'\(text)' is no time; write today, yesterday, a day like 2026-01-31, "
            + "or a time with its zone, \(form)")
      }
      return Timestamp(milliseconds: begin.milliseconds - here)
    }
  }
}

extension Int64 {
  /// The greatest multiple of `size` that is not greater.
  fileprivate func flooredToMultiple(of size: Int64) -> Int64 {
    self - (self % size + size) % size
  }
}

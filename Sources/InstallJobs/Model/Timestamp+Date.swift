package import FoundationEssentials

extension Timestamp {
  /// The timestamp as a date.
  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// Creates a timestamp from a date, rounded to milliseconds and limited to ±9e15 milliseconds.
  package init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(milliseconds: Int64(max(-9e15, min(9e15, milliseconds))))
  }
}

package import FoundationEssentials

extension Timestamp {
  /// The same moment.
  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// The moment, to the millisecond; what is farther away than a clock can tell is held at the end.
  package init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(milliseconds: Int64(max(-9e15, min(9e15, milliseconds))))
  }
}

extension Sequence<Int64> {
  /// The sum of counts that somebody else states: held at the largest figure where it has no room.
  ///
  /// Counts below 0 add nothing.
  package var total: Int64 {
    reduce(0) { sum, count in
      let (total, hasNoRoom) = sum.addingReportingOverflow(Swift.max(0, count))
      return hasNoRoom ? .max : total
    }
  }
}

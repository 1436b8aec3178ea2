extension Sequence<Int64> {
  /// The sum of counts from an untrusted source; `Int64.max` on overflow.
  ///
  /// Negative counts add nothing.
  package var total: Int64 {
    reduce(0) { sum, count in
      let (total, hasNoRoom) = sum.addingReportingOverflow(Swift.max(0, count))
      return hasNoRoom ? .max : total
    }
  }
}

/// The events and jobs that a journal has lost.
package struct JournalLoss: Sendable, Hashable {
  /// Number of missing events, which are the newest.
  package var events: Int
  /// The numbers of accepted jobs that are missing; nil if there are none.
  package var jobs: ClosedRange<Int>?
}

/// What a journal once had and has no more.
package struct JournalLoss: Sendable, Hashable {
  /// How many of the newest events are missing.
  package var events: Int
  /// The first and the last number of jobs that were accepted and are missing; nil where none is.
  package var jobs: ClosedRange<Int>?
}

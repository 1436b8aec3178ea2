/// The rule by which waiting jobs start, for the engine and for clients that show its queue.
///
/// Jobs start in the order of ``rank(of:)`` and then of their numbers. A job that is paused, or has
/// a condition of its own that is not met, is passed by the others.
package enum QueueRule: Sendable {
  /// Returns the sort key of a priority: of two waiting jobs the one with the lower rank starts
  /// first, and of equal ranks the one with the lower number.
  package static func rank(of priority: Int) -> Int64 { Int64(~priority) }

  /// Returns the condition of its own that a job still waits for; nil when it waits only for its
  /// turn.
  ///
  /// - Parameters:
  ///   - after: The job that must end first.
  ///   - start: The earliest time to start.
  ///   - time: The present time by the engine's clock.
  ///   - isOver: Whether a job has ended.
  /// - Returns: The condition; the other job counts before the time.
  package static func unmetCondition(
    after: JobID?, notBefore start: Timestamp?, at time: Timestamp, isOver: (JobID) -> Bool
  ) -> StartCondition? {
    if let after, !isOver(after) { return .job(after) }
    return start.flatMap { $0 > time ? .time($0) : nil }
  }
}

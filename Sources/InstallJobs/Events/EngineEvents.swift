/// The events of an engine as a sequence: first the current jobs, then each event in order.
///
/// Durable events are complete and in order, even for a reader that falls far behind. Progress
/// events of one job are coalesced for a slow reader. Only one task may read the sequence.
/// Cancelling that task ends the sequence without an error. The sequence throws when the engine can
/// no longer be followed.
public struct EngineEvents: AsyncSequence, Sendable {
  /// One element of the sequence.
  public enum Element: Sendable, Hashable {
    /// Current snapshots of some of the jobs.
    case jobs([JobSnapshot])
    /// All current jobs were sent; the durable events after number `seq` follow.
    case jobsEnd(seq: Int)
    /// One event.
    case event(JobEvent)
    /// Progress events of several jobs, in order.
    case progress([JobEvent])
  }

  /// The error thrown when the engine can no longer be followed.
  public typealias Failure = InstallationError

  private let begin: @Sendable () -> any EngineEventReader

  /// - Parameter begin: Creates the reader for one iteration.
  package init(_ begin: @escaping @Sendable () -> any EngineEventReader) { self.begin = begin }

  /// Starts reading; may be called only once.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: begin()) }

  /// The iterator over the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var reader: any EngineEventReader

    /// Returns the next element; nil when the reading task is cancelled.
    public mutating func next() async throws(InstallationError) -> Element? {
      try await next(isolation: #isolation)
    }

    /// Returns the next element, running on the caller's actor; nil when the reading task is
    /// cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> Element?
    {
      try await reader.next(isolation: actor)
    }
  }
}

// Only one task may use an iterator.
@available(*, unavailable)
extension EngineEvents.Iterator: Sendable {}

/// Reads the elements of ``EngineEvents`` from one engine, over a socket or in this process.
package protocol EngineEventReader {
  /// Returns the next element; nil when the task is cancelled.
  mutating func next(isolation actor: isolated (any Actor)?) async throws(InstallationError)
    -> EngineEvents.Element?
}

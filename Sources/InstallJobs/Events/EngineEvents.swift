/// What happens in an engine: the jobs as they stand, the end of these, then events in order.
///
/// Durable events are complete and in order, also for a reader that falls far behind; progress of one
/// job is coalesced for a slow reader. To be read by one task. Cancelling the task that reads ends the
/// sequence without an error. Ends with an error where the engine cannot be followed any more.
public struct EngineEvents: AsyncSequence, Sendable {
  /// One step.
  public enum Element: Sendable, Hashable {
    /// Some jobs as they stand.
    case jobs([JobSnapshot])
    /// All jobs were given; durable events after `seq` follow.
    case jobsEnd(seq: Int)
    /// Something happened.
    case event(JobEvent)
    /// Several jobs moved: progress events, in order.
    case progress([JobEvent])
  }

  /// Why the engine cannot be followed any more.
  public typealias Failure = InstallationError

  private let begin: @Sendable () -> any EngineEventReader

  /// - Parameter begin: Makes the reader of one iteration.
  package init(_ begin: @escaping @Sendable () -> any EngineEventReader) { self.begin = begin }

  /// Begins to read; once only.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: begin()) }

  /// Reads the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var reader: any EngineEventReader

    /// The next step; nil where the task that reads is cancelled.
    public mutating func next() async throws(InstallationError) -> Element? {
      try await next(isolation: #isolation)
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> Element?
    {
      try await reader.next(isolation: actor)
    }
  }
}

// To be read by one task.
@available(*, unavailable)
extension EngineEvents.Iterator: Sendable {}

/// Reads what one engine, at a socket or in this process, has for ``EngineEvents``.
package protocol EngineEventReader {
  /// The next step; nil where the task is cancelled.
  mutating func next(isolation actor: isolated (any Actor)?) async throws(InstallationError)
    -> EngineEvents.Element?
}

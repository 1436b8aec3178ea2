internal import Synchronization

/// A job's progress: the present value first, then the latest after each change, equal neighbours left out,
/// ending after the final one (rows C17 to C20).
///
/// A reader that is slow misses values in between, never the last. To be read by one task. Ends with an
/// error where the job can no longer be followed: `engineUnreachable` where the engine is given up,
/// `invalidState` where the session is closed. Cancelling the task that reads ends the sequence without an
/// error and does nothing to the job.
public struct ProgressUpdates: AsyncSequence, Sendable {
  /// Progress at one moment.
  public typealias Element = InstallationProgress
  /// Why the job can no longer be followed.
  public typealias Failure = InstallationError

  private let values: AsyncStream<InstallationProgress>
  private let failure: Shared

  /// Why the sequence ended before the final value.
  fileprivate final class Shared: Sendable {
    let error = Mutex<InstallationError?>(nil)
  }

  /// The side that has the values.
  struct Source: Sendable {
    fileprivate let values: AsyncStream<InstallationProgress>.Continuation
    fileprivate let failure: Shared

    /// Hands on a value.
    func yield(_ progress: InstallationProgress) { values.yield(progress) }

    /// Ends the sequence; with an error before the final value.
    func finish(throwing error: InstallationError? = nil) {
      failure.error.withLock { $0 = error }
      values.finish()
    }

    /// Runs when nobody reads any more, or the sequence was finished; to be set once.
    func onEnd(_ body: @escaping @Sendable () -> Void) { values.onTermination = { _ in body() } }
  }

  /// A sequence and its source.
  static func make() -> (updates: ProgressUpdates, source: Source) {
    let (values, continuation) = AsyncStream.makeStream(
      of: InstallationProgress.self, bufferingPolicy: .bufferingNewest(1))
    let failure = Shared()
    return (
      ProgressUpdates(values: values, failure: failure),
      Source(values: continuation, failure: failure)
    )
  }

  /// Begins to read; once only.
  public func makeAsyncIterator() -> Iterator {
    Iterator(values: values.makeAsyncIterator(), failure: failure)
  }

  /// Reads the values.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: AsyncStream<InstallationProgress>.Iterator
    fileprivate let failure: Shared

    /// The next value; nil after the final one, and where the task that reads is cancelled.
    public mutating func next() async throws(InstallationError) -> InstallationProgress? {
      try await next(isolation: #isolation)
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> InstallationProgress?
    {
      if let progress = await values.next(isolation: actor) { return progress }
      if !Task.isCancelled, let error = failure.error.withLock({ $0 }) { throw error }
      return nil
    }
  }
}

// To be read by one task.
@available(*, unavailable)
extension ProgressUpdates.Iterator: Sendable {}

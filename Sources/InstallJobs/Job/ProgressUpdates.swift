internal import Synchronization

/// A job's progress: the current value first, then the latest after each change; ends after the
/// final one (rows C17 to C20).
///
/// Equal neighbours are omitted. A slow reader misses intermediate values, but never the last. Only
/// one task may read the sequence. It throws when the job can no longer be followed:
/// `engineUnreachable` if the connection to the engine is given up, `invalidState` if the session
/// is closed. Cancelling the reading task ends the sequence without an error and does not affect
/// the job.
public struct ProgressUpdates: AsyncSequence, Sendable {
  /// The progress at one moment.
  public typealias Element = InstallationProgress
  /// The error because of which the job can no longer be followed.
  public typealias Failure = InstallationError

  private let values: AsyncStream<InstallationProgress>
  private let failure: Shared

  /// Holds the error if the sequence ends before the final value.
  fileprivate final class Shared: Sendable {
    let error = Mutex<InstallationError?>(nil)
  }

  /// The producer's side of a sequence.
  struct Source: Sendable {
    fileprivate let values: AsyncStream<InstallationProgress>.Continuation
    fileprivate let failure: Shared

    /// Sends a value.
    func yield(_ progress: InstallationProgress) { values.yield(progress) }

    /// Ends the sequence; pass an error if the final value was not sent.
    func finish(throwing error: InstallationError? = nil) {
      failure.error.withLock { $0 = error }
      values.finish()
    }

    /// Sets a function to call when the reader is gone or the sequence has finished; call once.
    func onEnd(_ body: @escaping @Sendable () -> Void) { values.onTermination = { _ in body() } }
  }

  /// Creates a sequence and its source.
  static func make() -> (updates: ProgressUpdates, source: Source) {
    let (values, continuation) = AsyncStream.makeStream(
      of: InstallationProgress.self, bufferingPolicy: .bufferingNewest(1))
    let failure = Shared()
    return (
      ProgressUpdates(values: values, failure: failure),
      Source(values: continuation, failure: failure)
    )
  }

  /// Starts reading; may be called only once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(values: values.makeAsyncIterator(), failure: failure)
  }

  /// The iterator over the values.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: AsyncStream<InstallationProgress>.Iterator
    fileprivate let failure: Shared

    /// Returns the next value; nil after the final one and when the reading task is cancelled.
    public mutating func next() async throws(InstallationError) -> InstallationProgress? {
      try await next(isolation: #isolation)
    }

    /// Returns the next value, running on the caller's actor; nil after the final one and when the
    /// reading task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> InstallationProgress?
    {
      if let progress = await values.next(isolation: actor) { return progress }
      if !Task.isCancelled, let error = failure.error.withLock({ $0 }) { throw error }
      return nil
    }
  }
}

// Only one task may use an iterator.
@available(*, unavailable)
extension ProgressUpdates.Iterator: Sendable {}

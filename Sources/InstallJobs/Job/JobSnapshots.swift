internal import Synchronization

/// A job's snapshots: the current one first, then the latest after each change; ends after the
/// final one.
///
/// A slow reader misses intermediate snapshots, but never the last. Only one task may read the
/// sequence. It throws when the job can no longer be followed: `unknownJob`, `engineUnreachable`,
/// or the engine's refusal. Cancelling the reading task ends the sequence without an error and does
/// not affect the job.
public struct JobSnapshots: AsyncSequence, Sendable {
  /// A snapshot of the job at one moment.
  public typealias Element = JobSnapshot
  /// The error because of which the job can no longer be followed.
  public typealias Failure = InstallationError

  /// The state shared by source and reader.
  fileprivate final class Shared: Sendable {
    /// The tracker of the job; nil before the first snapshot.
    let tracker = Mutex<JobTracker?>(nil)
    /// The error because of which the job can no longer be followed.
    let failure = Mutex<InstallationError?>(nil)
  }

  private let shared: Shared
  private let changes: AsyncStream<Void>

  /// The tracker of the job, updated until the end of the sequence; nil before the first change.
  var tracker: JobTracker? { shared.tracker.withLock { $0 } }

  /// The producer's side of a sequence.
  package struct Source: Sendable {
    fileprivate let shared: Shared
    fileprivate let changes: AsyncStream<Void>.Continuation

    /// Replaces the current snapshot.
    package func yield(_ snapshot: JobSnapshot) {
      shared.tracker.withLock { tracker in
        if let tracker {
          tracker.replace(with: snapshot)
        } else {
          tracker = JobTracker(snapshot)
        }
      }
      changes.yield()
    }

    /// Applies an event to the snapshot of the last ``yield(_:)``; ignored before the first.
    ///
    /// - Returns: Whether the job is over.
    package func apply(_ event: JobEvent) -> Bool {
      guard let tracker = shared.tracker.withLock({ $0 }) else { return false }
      let isFinal = tracker.apply(event)
      changes.yield()
      return isFinal
    }

    /// Ends the sequence.
    ///
    /// - Parameter error: The error if the sequence ends before the final snapshot; else nil.
    package func finish(throwing error: InstallationError? = nil) {
      shared.failure.withLock { $0 = error }
      changes.finish()
    }

    /// Sets a function to call when the reader is gone or the sequence has finished; call once.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
      changes.onTermination = { _ in body() }
    }
  }

  /// Creates a sequence and its source.
  package static func make() -> (snapshots: JobSnapshots, source: Source) {
    let shared = Shared()
    // Unread changes are merged into one.
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    return (
      JobSnapshots(shared: shared, changes: changes),
      Source(shared: shared, changes: continuation)
    )
  }

  /// Starts reading; may be called only once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(shared: shared, changes: changes.makeAsyncIterator())
  }

  /// The iterator over the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let shared: Shared
    fileprivate var changes: AsyncStream<Void>.Iterator
    /// The tracker's version at the last read.
    private var version: Int?

    fileprivate init(shared: Shared, changes: AsyncStream<Void>.Iterator) {
      self.shared = shared
      self.changes = changes
    }

    /// Returns the next snapshot; nil after the final one and when the reading task is cancelled.
    public mutating func next() async throws(InstallationError) -> JobSnapshot? {
      try await next(isolation: #isolation)
    }

    /// Returns the next snapshot, running on the caller's actor; nil after the final one and when
    /// the reading task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> JobSnapshot?
    {
      while try await change(isolation: actor) != nil {
        guard let (snapshot, version) = shared.tracker.withLock({ $0 })?.current else { continue }
        // A change that the last read already included is still signalled once.
        if version == self.version { continue }
        self.version = version
        return snapshot
      }
      return nil
    }

    /// Waits for a change without copying a snapshot.
    ///
    /// - Returns: Nil in the same cases as ``next()``.
    mutating func change(isolation actor: isolated (any Actor)? = #isolation)
      async throws(InstallationError) -> Void?
    {
      if await changes.next(isolation: actor) != nil { return () }
      let failure = shared.failure.withLock { failure in
        defer { failure = nil }
        return failure
      }
      if let failure, !Task.isCancelled { throw failure }
      return nil
    }
  }
}

// Only one task may use an iterator.
@available(*, unavailable)
extension JobSnapshots.Iterator: Sendable {}

internal import Synchronization

/// A job's snapshots: the present one first, then the latest after each change, ending after the final
/// one.
///
/// A reader that is slow misses snapshots in between, never the last. To be read by one task. Ends with
/// an error where the job can no longer be followed: `unknownJob`, `engineUnreachable`, or what the
/// engine refuses with. Cancelling the task that reads ends the sequence without an error and does
/// nothing to the job.
public struct JobSnapshots: AsyncSequence, Sendable {
  /// How the job stood at one moment.
  public typealias Element = JobSnapshot
  /// Why the job can no longer be followed.
  public typealias Failure = InstallationError

  /// What source and reader have together.
  fileprivate final class Shared: Sendable {
    /// How the job stands; nil before the first snapshot.
    let tracker = Mutex<JobTracker?>(nil)
    /// Why the job cannot be followed any more.
    let failure = Mutex<InstallationError?>(nil)
  }

  private let shared: Shared
  private let changes: AsyncStream<Void>

  /// How the job stands, kept up to date until the end of the sequence; nil before the first change.
  var tracker: JobTracker? { shared.tracker.withLock { $0 } }

  /// The side that has the snapshots.
  package struct Source: Sendable {
    fileprivate let shared: Shared
    fileprivate let changes: AsyncStream<Void>.Continuation

    /// Hands on how the job stands now.
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

    /// Hands on what happened to the job after the snapshot of the last ``yield(_:)``; nothing before one.
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
    /// - Parameter error: Why it ends before the final snapshot; nil after that.
    package func finish(throwing error: InstallationError? = nil) {
      shared.failure.withLock { $0 = error }
      changes.finish()
    }

    /// Runs when nobody reads any more, or the sequence was finished; to be set once.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
      changes.onTermination = { _ in body() }
    }
  }

  /// A sequence and its source.
  package static func make() -> (snapshots: JobSnapshots, source: Source) {
    let shared = Shared()
    // One change that is not read stands for all.
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    return (
      JobSnapshots(shared: shared, changes: changes),
      Source(shared: shared, changes: continuation)
    )
  }

  /// Begins to read; once only.
  public func makeAsyncIterator() -> Iterator {
    Iterator(shared: shared, changes: changes.makeAsyncIterator())
  }

  /// Reads the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let shared: Shared
    fileprivate var changes: AsyncStream<Void>.Iterator
    /// The tracker's count of changes at the last reading.
    private var version: Int?

    fileprivate init(shared: Shared, changes: AsyncStream<Void>.Iterator) {
      self.shared = shared
      self.changes = changes
    }

    /// The next snapshot; nil after the final one, and where the task that reads is cancelled.
    public mutating func next() async throws(InstallationError) -> JobSnapshot? {
      try await next(isolation: #isolation)
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> JobSnapshot?
    {
      while try await change(isolation: actor) != nil {
        guard let (snapshot, version) = shared.tracker.withLock({ $0 })?.current else { continue }
        // What was read with the change before is signalled once more.
        if version == self.version { continue }
        self.version = version
        return snapshot
      }
      return nil
    }

    /// Waits for a change without taking a snapshot.
    ///
    /// - Returns: Nil where ``next()`` returns nil.
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

// To be read by one task.
@available(*, unavailable)
extension JobSnapshots.Iterator: Sendable {}

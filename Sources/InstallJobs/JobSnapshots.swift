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

  fileprivate typealias Step = Result<JobSnapshot, InstallationError>
  private let steps: AsyncStream<Step>

  /// The side that has the snapshots.
  package struct Source: Sendable {
    fileprivate let continuation: AsyncStream<Step>.Continuation

    /// Hands on how the job stands now.
    package func yield(_ snapshot: JobSnapshot) { continuation.yield(.success(snapshot)) }

    /// Ends the sequence.
    ///
    /// - Parameter error: Why it ends before the final snapshot; nil after that.
    package func finish(throwing error: InstallationError? = nil) {
      if let error { continuation.yield(.failure(error)) }
      continuation.finish()
    }

    /// Runs when nobody reads any more, or the sequence was finished; to be set once.
    package func onEnd(_ body: @escaping @Sendable () -> Void) {
      continuation.onTermination = { _ in body() }
    }
  }

  /// A sequence and its source.
  package static func make() -> (snapshots: JobSnapshots, source: Source) {
    let (steps, continuation) = AsyncStream.makeStream(
      of: Step.self, bufferingPolicy: .bufferingNewest(1))
    return (JobSnapshots(steps: steps), Source(continuation: continuation))
  }

  /// Begins to read; once only.
  public func makeAsyncIterator() -> Iterator { Iterator(steps: steps.makeAsyncIterator()) }

  /// Reads the snapshots.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var steps: AsyncStream<Step>.Iterator

    /// The next snapshot; nil after the final one, and where the task that reads is cancelled.
    public mutating func next() async throws(InstallationError) -> JobSnapshot? {
      try await next(isolation: #isolation)
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> JobSnapshot?
    {
      guard let step = await steps.next(isolation: actor) else { return nil }
      return try step.get()
    }
  }
}

// To be read by one task.
@available(*, unavailable)
extension JobSnapshots.Iterator: Sendable {}

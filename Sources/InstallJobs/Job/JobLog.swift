/// The lines of a job's log, in order.
///
/// Lines are as packages print them: hostile until control characters are removed. A line that
/// overwrites itself with carriage returns comes as it was seen last; of one longer than 64 KiB the
/// beginning comes, which its end says. To be read by one task. Cancelling the task that reads ends
/// the sequence without an error.
public struct JobLog: AsyncSequence, Sendable {
  /// A line without its end.
  public typealias Element = String
  /// Why the log cannot be read any more: `unknownJob`, `engineUnreachable`.
  public typealias Failure = InstallationError

  private let backend: any InstallationBackend
  private let job: JobID
  private let package: String?
  private let isFollowing: Bool

  package init(
    of job: JobID, about package: String?, following isFollowing: Bool,
    from backend: any InstallationBackend
  ) {
    self.job = job
    self.package = package
    self.isFollowing = isFollowing
    self.backend = backend
  }

  /// Begins to read at the beginning of the log.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      backend: backend, job: job, slice: LogSlice(of: package), isFollowing: isFollowing)
  }

  /// Reads the lines.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Stage {
      /// The log is read as far as it is, before or between events.
      case reading(EngineEvents.Iterator?)
      /// The job is over: what is in the log now is all.
      case readingTheEnd
      case ended
    }

    fileprivate let backend: any InstallationBackend
    fileprivate let job: JobID
    fileprivate var slice: LogSlice
    fileprivate let isFollowing: Bool
    private var lines: ArraySlice<String> = []
    private var offset: Int64 = 0
    private var stage = Stage.reading(nil)

    fileprivate init(
      backend: any InstallationBackend, job: JobID, slice: LogSlice, isFollowing: Bool
    ) {
      self.backend = backend
      self.job = job
      self.slice = slice
      self.isFollowing = isFollowing
    }

    /// The next line; nil behind the last one, and where the task that reads is cancelled.
    public mutating func next() async throws(InstallationError) -> String? {
      try await next(isolation: #isolation)
    }

    /// The same, on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> String?
    {
      do throws(InstallationError) {
        return try await nextLine(isolation: actor)
      } catch {
        guard Task.isCancelled else { throw error }
        stage = .ended
        return nil
      }
    }

    private mutating func nextLine(isolation actor: isolated (any Actor)?)
      async throws(InstallationError) -> String?
    {
      while true {
        if let line = lines.popFirst() { return line }
        switch stage {
        case .ended: return nil
        case .readingTheEnd:
          guard try await !read() else { continue }
          lines = slice.finish()[...]
          stage = .ended
        case .reading(let events):
          guard try await !read() else { continue }
          guard isFollowing else {
            stage = .readingTheEnd
            continue
          }
          guard var events else {
            stage = .reading(try await begin())
            continue
          }
          // Only what may have changed the log is a reason to ask for more of it.
          var element: EngineEvents.Element?
          repeat { element = try await events.next(isolation: actor) } while element.isProgress
          guard let element else {
            stage = .ended
            continue
          }
          stage = ends(element) ? .readingTheEnd : .reading(events)
        }
      }
    }

    private func begin() async throws(InstallationError) -> EngineEvents.Iterator {
      try await backend.events(EventSelection(jobs: [job])).makeAsyncIterator()
    }

    /// Reads a piece; returns whether there was one.
    private mutating func read() async throws(InstallationError) -> Bool {
      let piece = try await backend.log(of: job, from: offset, limit: 64 << 10)
      lines = slice.append(piece.text)[...]
      guard piece.next > offset else { return false }
      offset = piece.next
      return true
    }

    /// Whether a step says that the job is over.
    private func ends(_ element: EngineEvents.Element) -> Bool {
      switch element {
      case .jobs(let jobs): return jobs.contains { $0.id == job && $0.state.isFinal }
      case .event(let event):
        if event.job == job, case .completed = event.payload { return true }
        return false
      case .jobsEnd, .progress: return false
      }
    }
  }
}

extension EngineEvents.Element? {
  /// Whether it says of jobs only how far they are.
  fileprivate var isProgress: Bool {
    switch self {
    case .progress: true
    case .event(let event): if case .progress = event.payload { true } else { false }
    case .jobs, .jobsEnd, nil: false
    }
  }
}

// To be read by one task.
@available(*, unavailable)
extension JobLog.Iterator: Sendable {}

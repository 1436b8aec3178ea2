/// The lines of a job's log, in order.
///
/// Lines contain the unfiltered output of packages: remove control characters before display. For a
/// line that overwrites itself with carriage returns, the sequence returns the final text. Lines
/// longer than 64 KiB are cut and end with a note. Only one task may read the sequence. Cancelling
/// that task ends the sequence without an error.
public struct JobLog: AsyncSequence, Sendable {
  /// A line without its line end.
  public typealias Element = String
  /// The error thrown when the log cannot be read: `unknownJob`, `engineUnreachable`.
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

  /// Starts reading at the beginning of the log.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      backend: backend, job: job, slice: LogSlice(of: package), isFollowing: isFollowing)
  }

  /// The iterator over the lines.
  public struct Iterator: AsyncIteratorProtocol {
    private enum Stage {
      /// Reading up to the current end of the log; the iterator waits for events between reads.
      case reading(EngineEvents.Iterator?)
      /// The job is over: reading up to the final end of the log.
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

    /// Returns the next line; nil after the last line and when the reading task is cancelled.
    public mutating func next() async throws(InstallationError) -> String? {
      try await next(isolation: #isolation)
    }

    /// Returns the next line, running on the caller's actor; nil after the last line and when the
    /// reading task is cancelled.
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
          // Progress events do not change the log, so they cause no read.
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

    /// Reads the next piece of the log; returns false at its current end.
    private mutating func read() async throws(InstallationError) -> Bool {
      let piece = try await backend.log(of: job, from: offset, limit: 64 << 10)
      lines = slice.append(piece.text)[...]
      guard piece.next > offset else { return false }
      offset = piece.next
      return true
    }

    /// Whether an element says that the job is over.
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
  /// Whether the element contains progress of jobs only.
  fileprivate var isProgress: Bool {
    switch self {
    case .progress: true
    case .event(let event): if case .progress = event.payload { true } else { false }
    case .jobs, .jobsEnd, nil: false
    }
  }
}

// Only one task may use an iterator.
@available(*, unavailable)
extension JobLog.Iterator: Sendable {}

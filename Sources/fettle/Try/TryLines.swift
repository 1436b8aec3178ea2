import InstallJobs
import JobClient
import Monitor

/// Prints all jobs of a try as lines, from before the first submission to the end of the last job.
struct TryLines {
  private let session: UpdateSession
  private let prints: Bool

  init(_ session: UpdateSession, prints: Bool) {
    self.session = session
    self.prints = prints
  }

  /// Runs `submit` and follows the jobs until every job has ended.
  ///
  /// - Returns: The jobs with their plans, by number.
  /// - Throws: The errors of `submit`; `engineUnreachable` when the engine goes away.
  func untilEnd(_ submit: @escaping @Sendable () async throws -> Void) async throws -> [JobSnapshot]
  {
    var report = PlainReport(timeOffset: LocalTime.offset)
    var followed = FollowedJobs()
    if prints { Report.lines(report.apply(.snapshotBegin)) }
    let events = try await session.events()
    let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    let listening = Task {
      do {
        for try await element in events { signal.yield(.element(element)) }
      } catch {}
      signal.yield(.gone)
    }
    let submitting = Task {
      do {
        try await submit()
        signal.yield(.submitted(nil))
      } catch {
        signal.yield(.submitted(error))
      }
    }
    defer {
      listening.cancel()
      submitting.cancel()
    }
    var awaited: [JobID]?
    for await event in signals {
      switch event {
      case .gone:
        throw InstallationError(
          .engineUnreachable, "the engine of the try went away", class: .transient)
      case .submitted(let error):
        if let error { throw error }
        awaited = try await session.jobs().map(\.id)
      case .element(let element):
        followed.apply(element)
        if prints { Report.lines(report.apply(element: element)) }
      }
      if let awaited, followed.haveEnded(awaited) { break }
    }
    var whole: [JobSnapshot] = []
    for id in followed.jobs.keys.sorted() { whole.append(try await session.snapshot(of: id)) }
    return whole
  }

  private enum Signal: Sendable {
    case element(EngineEvents.Element)
    case submitted((any Error)?)
    case gone
  }
}

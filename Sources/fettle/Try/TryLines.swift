import InstallJobs
import JobClient
import JobScreen

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
    var known: [JobID: JobSnapshot] = [:]
    if prints { Report.lines(report.apply(.snapshotBegin)) }
    let events = try await session.events()
    let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    let listening = Task {
      do {
        for try await element in events { signal.yield(.told(element)) }
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
      case .told(.jobs(let rows)):
        for row in rows { known[row.id] = row }
        if prints { Report.lines(report.apply(.snapshot(rows))) }
      case .told(.jobsEnd(let seq)):
        if prints { Report.lines(report.apply(.snapshotEnd(seq: seq))) }
      case .told(.progress(let events)):
        for event in events {
          if let id = event.job { known[id]?.apply(event) }
        }
        if prints { Report.lines(report.apply(.ticks(events))) }
      case .told(.event(let event)):
        if case .submitted(let job) = event.payload { known[job.id] = job }
        if let id = event.job { known[id]?.apply(event) }
        if prints { Report.lines(report.apply(.event(event))) }
      }
      if let awaited, awaited.allSatisfy({ known[$0]?.state.isFinal ?? false }) { break }
    }
    var whole: [JobSnapshot] = []
    for id in known.keys.sorted() { whole.append(try await session.snapshot(of: id)) }
    return whole
  }

  private enum Signal: Sendable {
    case told(EngineEvents.Element)
    case submitted((any Error)?)
    case gone
  }
}

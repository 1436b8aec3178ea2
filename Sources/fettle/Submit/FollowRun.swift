// On Linux, Dispatch does not declare its sources Sendable although they are thread-safe.
@unsafe @preconcurrency import Dispatch
import Glibc
import InstallJobs
import JobClient
import JobScreen

/// Follows jobs to their end and optionally prints progress lines.
///
/// Ctrl-C ends only this program; the jobs continue.
struct FollowRun {
  private let session: UpdateSession
  private let jobs: Set<JobID>
  private let prints: Bool
  private let reconnect: () async throws(InstallationError) -> UpdateSession

  /// - Parameters:
  ///   - session: A session with the engine of the jobs.
  ///   - jobs: The jobs to follow.
  ///   - prints: Whether to print lines.
  ///   - reconnect: Opens a new session.
  init(
    _ session: UpdateSession, jobs: Set<JobID>, prints: Bool,
    reconnect: @escaping () async throws(InstallationError) -> UpdateSession
  ) {
    self.session = session
    self.jobs = jobs
    self.prints = prints
    self.reconnect = reconnect
  }

  /// Waits until every job has ended, also across a restart of the engine.
  ///
  /// - Returns: The worst of the jobs' results.
  /// - Throws: `engineUnreachable` or `timedOut` when the engine cannot be reached for five
  ///   seconds.
  func untilEnd() async throws -> ExitStatus {
    var session = session
    while true {
      do {
        return try await untilEnd(on: session)
      } catch let error as InstallationError
        where error.code == .engineUnreachable || error.code == .timedOut
      {
        let what = error.code == .timedOut ? "does not answer" : "went away"
        Report.note("the engine \(what); \(Self.words(jobs)) on without it, waiting for it")
        session = try await waitForEngine(error)
      }
    }
  }

  private func waitForEngine(_ error: InstallationError) async throws -> UpdateSession {
    // A restarted service is back within five seconds; a script must get an error for a dead
    // engine.
    for _ in 0..<5 {
      try await Task.sleep(for: .seconds(1))
      if let found = try? await reconnect() { return found }
    }
    throw error
  }

  private func untilEnd(on session: UpdateSession) async throws -> ExitStatus {
    let jobs = jobs
    let interrupt = Interrupt {
      Report.note("you left; \(Self.words(jobs)) on, see 'fettle jobs'")
      Report.exit(.viewerLeft)
    }
    defer { interrupt.end() }
    var report = PlainReport(
      only: jobs, timeOffset: LocalTime.offset, advice: { Report.addressed($0) })
    var known: [JobID: JobSnapshot] = [:]
    if prints { Report.lines(report.apply(.snapshotBegin)) }
    let selection = EventSelection(
      jobs: Array(jobs), includesPlans: true, includesQueue: prints)
    for try await element in try await session.events(selection) {
      switch element {
      case .jobs(let rows):
        for row in rows { known[row.id] = row }
        if prints { Report.lines(report.apply(.snapshot(rows))) }
        for row in rows where prints {
          if let plan = row.plan { Report.lines(report.apply(.plan(row.id, plan))) }
        }
        // The results of the rows are evaluated at the end of the snapshot.
        continue
      case .jobsEnd(let seq):
        if prints { Report.lines(report.apply(.snapshotEnd(seq: seq))) }
      case .progress(let events):
        for event in events {
          if let id = event.job { known[id]?.apply(event) }
        }
        if prints { Report.lines(report.apply(.ticks(events))) }
      case .event(let event):
        if let id = event.job { known[id]?.apply(event) }
        if prints { Report.lines(report.apply(.event(event))) }
      }
      let ended = jobs.compactMap { known[$0] }.filter(\.state.isFinal)
      if ended.count == jobs.count {
        return ended.reduce(.succeeded) { $0.worse(ExitStatus($1)) }
      }
    }
    throw InstallationError(
      .engineUnreachable, "the engine went away", class: .transient,
      hint: "jobs go on without it; see 'fettle jobs' when it is back")
  }

  private static func words(_ jobs: Set<JobID>) -> String {
    jobs.count == 1 ? "job \(jobs.first.map(\.description) ?? "") goes" : "the jobs go"
  }
}

/// Replaces the default action of Ctrl-C (SIGINT) by a function.
final class Interrupt: Sendable {
  private let source: any DispatchSourceSignal

  init(_ body: @escaping @Sendable () -> Void) {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler(handler: body)
    source.resume()
  }

  /// Restores the default action of Ctrl-C.
  func end() {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }
}

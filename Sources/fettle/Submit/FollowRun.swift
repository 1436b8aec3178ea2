// On Linux, Dispatch does not declare its sources Sendable although they are thread-safe.
@unsafe @preconcurrency import Dispatch
import Glibc
import InstallJobs
import JobClient
import Monitor

/// Follows jobs to their end and optionally prints progress lines.
///
/// Ctrl-C ends only this program; the jobs continue.
struct FollowRun {
  /// A session that reconnects (``GlobalOptions/restartLimit``).
  let session: UpdateSession
  /// The jobs to follow.
  let jobs: Set<JobID>
  /// Whether to print lines.
  let prints: Bool

  /// Waits until every job has ended, also across a restart of the engine.
  ///
  /// - Returns: The worst of the jobs' results.
  /// - Throws: `engineUnreachable` when the engine cannot be reached again.
  func untilEnd() async throws -> ExitStatus {
    let losses = Task { [session, jobs] in
      for await state in await session.connectionStates() {
        guard case .lost = state else { continue }
        Report.note("the engine went away; \(Self.words(jobs)) on without it, waiting for it")
      }
    }
    defer { losses.cancel() }
    let jobs = jobs
    let interrupt = Interrupt {
      Report.note("you left; \(Self.words(jobs)) on, see 'fettle jobs'")
      Report.exit(.viewerLeft)
    }
    defer { interrupt.end() }
    var report = PlainReport(
      only: jobs, timeOffset: LocalTime.offset, advice: { Report.addressed($0) })
    var followed = FollowedJobs()
    if prints { Report.lines(report.apply(.snapshotBegin)) }
    let selection = EventSelection(
      jobs: Array(jobs), includesPlans: true, includesQueue: prints)
    for try await element in try await session.events(selection) {
      followed.apply(element)
      if prints { Report.lines(report.apply(element: element)) }
      // The results of the rows are evaluated at the end of the snapshot.
      if case .jobs = element { continue }
      if followed.haveEnded(jobs) {
        return jobs.compactMap { followed.jobs[$0] }
          .reduce(.succeeded) { $0.worse(ExitStatus($1)) }
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

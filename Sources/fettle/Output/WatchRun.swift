import InstallJobs
import JobClient
import Monitor

/// Prints an engine's events as lines or as one JSON object per line, until the user leaves.
struct WatchRun {
  let global: GlobalOptions
  /// The jobs to watch; empty for all.
  var jobs: [JobID] = []
  /// The number of the event after which stored events are printed first; nil for none.
  var from: Int?
  var json = false

  /// - Throws: `engineUnreachable` when the engine goes away; `invalidArgument` for an event that
  ///   has not happened yet.
  func run() async throws {
    let session = try await global.connect()
    let interrupt = Interrupt { Report.exit(.viewerLeft) }
    defer { interrupt.end() }
    let only = jobs.isEmpty ? nil : jobs
    var report = PlainReport(
      only: only.map { Set($0) }, timeOffset: LocalTime.offset, countsAtStart: only == nil)
    let selection = EventSelection(
      after: from, jobs: only, includesQueue: only != nil && !json)
    for try await element in try await session.events(selection) {
      switch element {
      case .jobs, .jobsEnd:
        if !json { Report.lines(report.apply(element: element).map(Report.addressed)) }
      case .event(let event): try print([event], &report)
      case .progress(let events): try print(events, &report)
      }
    }
  }

  private func print(_ events: [JobEvent], _ report: inout PlainReport) throws {
    // Events that are not stored have no number; JSON output is complete and in the order of
    // numbers.
    for event in events where !json || !event.isUnstoredNotice {
      if json { try Report.json(event) } else { Report.lines(report.apply(.event(event))) }
    }
  }
}

extension JobEvent {
  /// Whether this is a notice of the engine that is not in the journal.
  fileprivate var isUnstoredNotice: Bool {
    if case .engine = payload { !payload.isDurable } else { false }
  }
}

import ArgumentParser
import InstallJobs
import JobClient
import JobScreen

/// The command `fettle replay`.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Plays an ended job again as it was recorded, at any moment and speed.",
    discussion: """
      On a terminal the monitor opens on the job as it was: Space goes on or rests, Left and Right \
      go a second, [ and ] to what happened before and next, - and + change the speed, Home and End \
      go to its begin and end. Elsewhere, and with --plain, its events are printed as lines with \
      their own times.
      """)

  @Argument(help: "The job's number.") var job: JobID
  @Option(
    help: ArgumentHelp("How fast it begins, 1 to 64 times as fast.", valueName: "number"))
  var speed = 1
  @Flag(help: "Print one event per line as JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard (1...64).contains(speed) else { throw ValidationError("--speed is from 1 to 64") }
  }

  func run() async throws {
    let screen = MonitorScreen(global)
    let isDrawn = !json && screen.isPossible
    if isDrawn, let theme = global.theme { _ = try await MonitorTheme(option: theme, setting: nil) }
    // Looking is all that a replay does; the monitor behind it has the rights it always has.
    let reason = isDrawn ? global.readOnlyReason(await MonitorPreferences().settings) : nil
    let isReadOnly = !isDrawn || reason != nil
    let connection = try await global.connect(isReadOnly: isReadOnly)
    let backend = EngineBackend(connection)
    let ended = try await backend.endedJob(job)
    let first = try await backend.events(of: job)
    guard !first.events.isEmpty else {
      throw InstallationError(
        .sourceUnavailable, "the journal has no events of job \(job): nothing can be replayed",
        class: .fatal, hint: "'fettle show \(job)' and 'fettle log \(job)' tell what is kept")
    }
    guard isDrawn else { return try await tell(ended, first, backend) }
    let (replayed, global) = ((job, speed), global)
    let end = try await screen.run(
      on: connection,
      reconnect: { () async throws(InstallationError) in
        try await global.connect(isReadOnly: isReadOnly)
      }, opening: replayed)
    screen.say("the engine goes on with its jobs", after: end)
  }

  /// Prints the events in order.
  private func tell(
    _ ended: JobSnapshot, _ first: EngineBackend.EventsPage, _ backend: EngineBackend
  ) async throws {
    var report = PlainReport(only: [job], timeOffset: LocalTime.offset, isRecorded: true)
    var hasBegin = false
    if case .submitted? = first.events.first?.payload { hasBegin = true }
    if !hasBegin, !json {
      Report.note("the journal does not have the begin of job \(job): what it has follows")
      _ = report.take(.snapshot([ended]))
      _ = report.take(.snapshotEnd(seq: 0))
    }
    var page = first
    while true {
      for event in page.events {
        if json { try Report.json(event) } else { Report.lines(report.take(.event(event))) }
      }
      guard let next = page.next else { return }
      page = try await backend.events(of: job, after: next)
    }
  }
}

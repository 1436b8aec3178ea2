import ArgumentParser
import InstallJobs
import JobClient
import Monitor

/// The command `fettle replay`.
struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Plays an ended job again as it was recorded, at any moment and speed.",
    discussion: """
      On a terminal the monitor opens on the job as it was: Space plays or pauses, Left and Right \
      go a second, [ and ] to what happened before and next, - and + change the speed, Home and End \
      go to its begin and end. Elsewhere, and with --plain, its events are printed as lines with \
      their own times.
      """)

  @Argument(help: "The job's number.", transform: JobID.typed) var job: JobID
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
    // A printed replay only reads; a monitor opened for the replay keeps its usual rights.
    let reason = isDrawn ? global.readOnlyReason(await MonitorPreferences().settings) : nil
    let isReadOnly = !isDrawn || reason != nil
    let session = try await global.connect(isReadOnly: isReadOnly)
    let ended = try await session.endedJob(job)
    var reader = RecordingReader(job, of: session)
    let first = try await reader.next()?.events ?? []
    guard !first.isEmpty || reader.leftOut > 0 else {
      throw InstallationError(
        .sourceUnavailable, "the journal has no events of job \(job): nothing can be replayed",
        class: .fatal, hint: "'fettle show \(job)' and 'fettle log \(job)' tell what is kept")
    }
    guard isDrawn else { return try await print(ended, first, &reader) }
    let (replayed, global) = ((job, speed), global)
    let end = try await screen.run(
      on: session,
      reconnect: { () async throws(InstallationError) in
        try await global.connect(isReadOnly: isReadOnly)
      }, opening: replayed)
    screen.say("the engine goes on with its jobs", after: end)
  }

  /// Prints the events in order, and notes for missing events.
  private func print(
    _ ended: JobSnapshot, _ first: [JobEvent], _ reader: inout RecordingReader
  ) async throws {
    var report = PlainReport(only: [job], timeOffset: LocalTime.offset, isRecorded: true)
    if !json, let end = ended.endedAt {
      Report.note("replay of job \(job), which was over at \(end): what follows is past")
    }
    var hasBegin = false
    if case .submitted? = first.first?.payload { hasBegin = true }
    if !hasBegin, !json {
      Report.note("the journal does not have the begin of job \(job): what it has follows")
      _ = report.apply(.snapshot([ended]))
      _ = report.apply(.snapshotEnd(seq: 0))
    }
    var events = first
    while true {
      for event in events {
        if json { try Report.json(event) } else { Report.lines(report.apply(.event(event))) }
      }
      guard let page = try await reader.next() else { break }
      events = page.events
    }
    for gap in reader.gapMessages { Report.note(gap) }
  }
}

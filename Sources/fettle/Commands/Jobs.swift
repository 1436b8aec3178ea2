public import ArgumentParser
import Canvas
import HostSystem
public import InstallJobs
import JobClient
import JobText
import Monitor

extension JobState: ExpressibleByArgument {}

extension UpdateSession {
  /// Prints on standard error that the shown jobs may be outdated, when the engine cannot write its
  /// journal.
  fileprivate func noteJournalPause(of jobs: [JobSnapshot]) async {
    guard let status = try? await status(),
      let words = StatusLines.journalWarning(status, of: jobs, timeOffset: LocalTime.offset)
    else { return }
    Report.note(words)
  }
}

/// The command `fettle jobs`.
struct Jobs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The queue: jobs that wait, work, or are over and not cleaned up.",
    discussion: """
      For a job that waits, STATE tells in how long it begins and ETA in how long it is over: by what \
      the packages before it cost on this machine, and with the jobs that stand before it now. In \
      JSON these are startsInSeconds, endsInSeconds and etaSpreadSeconds, which tells how far the \
      end may be off. Where nobody knows, nothing is told: in a queue that is paused, behind a job \
      that is paused or waits for the package lock, and of packages that were seen less than three \
      times.
      """)

  @Flag(help: "Also jobs that were cleaned up.") var all = false
  @Option(
    help: ArgumentHelp(
      "Only these states or results, separated by commas: \(JobStateFilter.offered).",
      valueName: "states"))
  var state: String?
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await global.connect()
    let wanted = try JobStateFilter(state)
    let jobs = try await session.jobs(in: wanted.states).filter {
      wanted.matches($0) && (all || !$0.isCleanedUp)
    }
    guard json else {
      Report.lines(JobTable.jobs(jobs, now: Timestamp.now, timeOffset: LocalTime.offset))
      return await session.noteJournalPause(of: jobs)
    }
    var whole: [JobSnapshot] = []
    for job in jobs { whole.append(try await session.snapshot(of: job.id)) }
    try Report.json(whole)
  }
}

/// The command `fettle show`.
struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "One job with its updates.",
    discussion: """
      Its eta comes with how far it may be off, where all that is left was seen at least three times. \
      A stage that takes three times as long as usual, and ten seconds more, is told with what is \
      usual; in JSON it is overdue.
      """)

  @Argument(help: "The job's number.", transform: JobID.typed) var job: JobID
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await global.connect()
    let snapshot = try await session.snapshot(of: job)
    guard json else {
      var shown = snapshot
      if !snapshot.repairs.isEmpty || snapshot.error != nil {
        shown = snapshot.settled(by: try await session.jobs())
      }
      shown = shown.advised(Report.addressed)
      Report.lines(JobTable.job(shown, timeOffset: LocalTime.offset, now: Timestamp.now))
      return await session.noteJournalPause(of: [snapshot])
    }
    try Report.json(snapshot)
  }
}

/// The command `fettle status`.
struct Status: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The engine, its queue, who holds the package lock, whether a restart is needed.")

  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let status = try await global.connect().status()
    guard json else {
      return Report.lines(StatusLines.lines(status, now: Timestamp.now).map(Report.addressed))
    }
    try Report.json(status)
  }
}

/// The command `fettle log`.
struct Log: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "What a job's tools printed.")

  @Argument(help: "The job's number.", transform: JobID.typed) var job: JobID
  @Flag(help: "Go on with what comes until the job is over.") var follow = false
  @Option(help: ArgumentHelp("Only the lines about this package.", valueName: "name"))
  var update: String?
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await global.connect()
    if let update { try await refuseUnknown(update, in: session) }
    for try await line in session.logLines(of: job, about: update, following: follow) {
      Report.line(sanitize(line))
    }
  }

  /// Throws for a package that is neither in the job nor in its log (triggers can name further
  /// packages).
  private func refuseUnknown(_ name: String, in session: UpdateSession) async throws {
    guard try await !session.snapshot(of: job).touches(name) else { return }
    for try await _ in session.logLines(of: job, about: name) { return }
    throw InstallationError(
      .invalidArgument, "job \(job) has no package '\(name)'", class: .fatal,
      hint: "'fettle show \(job)' lists its packages")
  }
}

extension JobSnapshot {
  /// Whether a package of this name was asked for or is in the plan.
  fileprivate func touches(_ name: String) -> Bool {
    (updates + (plan ?? [])).contains { $0.name == name }
  }
}

/// The command `fettle watch`.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Live lines of what happens; with --json one event per line.")

  @Argument(help: "Only these jobs.", transform: JobID.typed) var job: [JobID] = []
  @Option(help: ArgumentHelp("First everything after this event.", valueName: "number"))
  var from: Int?
  @Flag(help: "Print one event per line as JSON.") var json = false
  @Flag(help: "Leave when these jobs are over, with their result.") var untilEnd = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard untilEnd else { return }
    if job.isEmpty {
      throw ValidationError("--until-end needs a job: 'fettle watch 7 --until-end'")
    }
    if json || from != nil {
      throw ValidationError("--until-end prints lines: leave --json and --from out")
    }
  }

  func run() async throws {
    if untilEnd {
      let session = try await global.connect(reconnectingFor: GlobalOptions.restartLimit)
      for id in job { _ = try await session.snapshot(of: id) }
      throw try await FollowRun(session: session, jobs: Set(job), prints: true).untilEnd()
    }
    try await WatchRun(global: global, jobs: job, from: from, json: json).run()
  }
}

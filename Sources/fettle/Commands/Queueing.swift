import ArgumentParser
import HostSystem
import InstallJobs
import JobClient
import JobText

/// The command `fettle pause`.
struct Pause: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Pause the queue, or jobs of it.",
    discussion: """
      Without a job, the whole queue: no further job begins, and the one at work goes on to its end. \
      The pause lasts until 'fettle resume', also when the engine ends and another begins.

      With jobs, these are paused: one that is at work stops between two packages and keeps its turn, \
      one that waits keeps its place and others pass it.
      """)

  @Argument(help: "The jobs' numbers; none for the whole queue.", transform: JobID.typed)
  var job: [JobID] = []
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await global.connect()
    guard !job.isEmpty else {
      let status = try await session.pauseQueue()
      if json { return try Report.json(status) }
      return Report.line(QueueWords.paused(status, now: Timestamp.now))
    }
    try await JobBatch.act(on: job, json: json) { id throws(InstallationError) in
      try await session.suspend(id)
      return try await session.statusOutcome(of: id, after: "is asked to pause", json: json) {
        job in
        job.state.isFinal ? "ended before it could be paused" : JobTable.pause(of: job)
      }
    }
  }
}

/// The command `fettle resume`.
struct Resume: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Resume the queue, or jobs that are paused.",
    discussion: "Without a job, the queue that 'fettle pause' paused; paused jobs stay paused.")

  @Argument(help: "The jobs' numbers; none for the whole queue.", transform: JobID.typed)
  var job: [JobID] = []
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await global.connect()
    guard !job.isEmpty else {
      let status = try await session.resumeQueue()
      return json ? try Report.json(status) : Report.line(QueueWords.resumed(status))
    }
    try await JobBatch.act(on: job, json: json) { id throws(InstallationError) in
      try await session.resume(id)
      return try await session.statusOutcome(of: id, after: "resumed", json: json) { _ in "resumed"
      }
    }
  }
}

/// The command `fettle yield`.
struct Yield: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask whoever holds the package lock to let jobs go first.",
    discussion: """
      Only unattended-upgrades can be asked: it ends after the set of packages that it is at, and its \
      next run does the rest. With Unattended-Upgrade::MinimalSteps "false" that set is all it has to \
      do. Any other program is left alone, and no program is ever killed.
      """)

  @Flag(help: "Print who was asked as JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let holder = try await global.connect().askLockHolderToYield()
    if json { return try Report.json(holder) }
    Report.line(QueueWords.yieldRequested(holder))
  }
}

/// The command `fettle move`.
struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Give a job that waits another place in the queue.",
    discussion: """
      The order stays by priority, the higher first, and then by number: a move gives the job \
      another priority. A job that has begun has no place to move from.
      """)

  @Argument(help: "The number of a job that waits.", transform: JobID.typed) var job: JobID
  @Flag(help: "Before all others that wait.") var first = false
  @Flag(help: "After all others that wait.") var last = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("To the place of this priority, -100 to 100.", valueName: "number"))
  var priority: Int?
  @Flag(help: "Print the job as JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  private var place: QueueMove? {
    switch (first, last, priority) {
    case (true, false, nil): .first
    case (false, true, nil): .last
    case (false, false, let priority?): .priority(priority)
    default: nil
    }
  }

  func validate() throws {
    guard place != nil else {
      throw ValidationError("say one of --first, --last and --priority NUMBER")
    }
    guard (-100...100).contains(priority ?? 0) else {
      throw ValidationError("--priority must be from -100 to 100")
    }
  }

  func run() async throws {
    guard let place else { return }
    let session = try await global.connect()
    let moved = try await session.move(job, to: place)
    if json { return try Report.json(moved) }
    Report.line(QueueWords.moved(moved, among: try await session.jobs(in: [.queued])))
  }
}

extension UpdateSession {
  /// Returns the job's status after an action.
  ///
  /// If the engine goes away after the action and before this request, the action has still
  /// succeeded: the outcome says so, and it is a failure only with JSON.
  fileprivate func statusOutcome(
    of id: JobID, after acted: String, json isJSON: Bool, words: (JobSnapshot) -> String
  ) async throws(InstallationError) -> JobBatch<JobSnapshot>.Outcome {
    do throws(InstallationError) {
      let job = try await snapshot(of: id)
      return JobBatch.Outcome(answer: job, words: words(job))
    } catch {
      guard error.code == .engineUnreachable else { throw error }
      let outcome = "\(acted); the engine went away after that"
      guard isJSON else { return JobBatch.Outcome(answer: nil, words: outcome) }
      throw InstallationError(
        .engineUnreachable, "job \(id): \(outcome)", class: .transient,
        hint: "'fettle show \(id)' tells how it stands when the engine is back")
    }
  }
}

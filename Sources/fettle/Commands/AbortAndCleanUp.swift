import ArgumentParser
import InstallJobs
import JobClient
import JobText

/// The command `fettle abort`.
struct Abort: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask jobs to stop; says at once where each will, or why it will not.")

  @Argument(help: "The jobs' numbers.", transform: JobID.typed) var job: [JobID]
  @Flag(help: "Take the request back while it can be.") var withdraw = false
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  private struct Answer: Encodable {
    var job: JobID
    var abort: AbortDisposition?
  }

  func run() async throws {
    let session = try await global.connect()
    try await JobBatch.act(on: job, json: json) { id throws(InstallationError) in
      if withdraw {
        try await session.withdrawAbort(of: id)
        return JobBatch.Outcome(
          answer: Answer(job: id, abort: nil),
          words: "the abort is cancelled, the job continues")
      }
      let disposition = try await session.requestAbort(of: id)
      let after = json ? nil : try? await session.snapshot(of: id)
      let isRefused = if case .refused = disposition { true } else { false }
      return JobBatch.Outcome(
        answer: Answer(job: id, abort: disposition),
        words: AbortWords.sentence(disposition, for: after),
        status: isRefused ? .refused : .succeeded)
    }
  }
}

/// The command `fettle cleanup`.
struct Cleanup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Wait for jobs to end, free their archives and work files, move them to history.")

  @Argument(help: "The jobs' numbers.", transform: JobID.typed) var job: [JobID] = []
  @Flag(help: "All jobs that are over.") var finished = false
  @Option(help: ArgumentHelp("Wait at most so long.", valueName: "seconds")) var within: Double?
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    guard finished || !job.isEmpty else {
      throw ValidationError("name the jobs, or say --finished")
    }
    guard !finished || job.isEmpty else {
      throw ValidationError("name the jobs or say --finished, not both")
    }
    if let within, within < 0 { throw ValidationError("--within must not be negative") }
  }

  func run() async throws {
    let session = try await global.connect()
    var ids = job
    if finished {
      ids = try await session.jobs(in: [.completed, .interrupted]).filter { !$0.isCleanedUp }
        .map(\.id)
      if ids.isEmpty, !json { return Report.line("there is no job to clean up that is over") }
    }
    try await JobBatch.act(on: ids, json: json) { id throws(InstallationError) in
      let job = try await session.job(id)
      if let within {
        try await job.cleanUp(within: .milliseconds(Int64(min(within, 1e9) * 1000)))
      } else {
        try await job.cleanUp()
      }
      return JobBatch.Outcome(answer: id, words: "cleaned up")
    }
  }
}

/// The command `fettle retry`.
struct Retry: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Submit a new job with only what a job did not do.",
    discussion: """
      What was asked for and did not succeed is asked for again, with the versions that were named \
      then. Dependencies come by themselves. The new job's comment says which job it retries. A job
      is retried once; what its retry leaves, a retry of that one does.
      """)

  @Argument(help: "The number of a job that is over.", transform: JobID.typed) var job: JobID
  @OptionGroup var options: SubmitOptions
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let session = try await options.connect(global)
    var request = try await session.retryRequest(of: job)
    request.options = options.applied(to: request.options)
    try await SubmitCommand(options: options, global: global).run(request, on: session)
  }
}

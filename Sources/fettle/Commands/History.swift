import ArgumentParser
import InstallJobs
import JobClient
import JobText

/// The command `fettle history`.
struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Jobs that are over, the last ended first, cleaned up or not.")

  @Option(help: ArgumentHelp("Only jobs that asked for or touched it.", valueName: "name"))
  var package: String?
  @Option(help: ArgumentHelp("Only jobs that this user asked for.", valueName: "name"))
  var user: String?
  @Option(
    help: ArgumentHelp(
      "Only jobs that ended then or later: today, yesterday, a day (2026-01-31), or a time "
        + "(\(TypedTime.form)).", valueName: "time"),
    transform: { try TypedTime.past($0) })
  var since: Timestamp?
  @Option(
    help: ArgumentHelp(
      "Only jobs that ended so, separated by commas: \(JobStateFilter.offeredResults).",
      valueName: "results"))
  var result: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At most so many jobs.", valueName: "number"))
  var limit = 50
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
    _ = try results()
  }

  func run() async throws {
    let session = try await global.connect()
    let filter = HistoryFilter(package: package, user: user, since: since, results: try results())
    let jobs = try await session.history(matching: filter, limit: limit)
    guard json else {
      return Report.lines(JobTable.history(jobs, timeOffset: LocalTime.offset))
    }
    var whole: [JobSnapshot] = []
    for job in jobs { whole.append(try await session.snapshot(of: job.id)) }
    try Report.json(whole)
  }

  private func results() throws -> Set<HistoryResult>? {
    try result.map { try JobStateFilter.results($0) }
  }
}

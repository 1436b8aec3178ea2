import ArgumentParser
import InstallJobs
import JobClient
import JobScreen

/// The command `fettle audit`.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Who did or tried what, the last first; for those who may act.")

  @Option(
    help: ArgumentHelp("Only what this user did, by name or number.", valueName: "user"))
  var user: String?
  @Option(
    help: ArgumentHelp(
      "Only what was done then or later: today, yesterday, a day (2026-01-31), or a time "
        + "(\(TypedTime.form)).", valueName: "time"),
    transform: { try TypedTime.past($0) })
  var since: Timestamp?
  @Option(help: ArgumentHelp("Only what was done to this job, or made it.", valueName: "number"))
  var job: Int?
  @Option(
    help: ArgumentHelp("Only this act: submit, abort, cleanUp, hello, ...", valueName: "act"))
  var act: String?
  @Option(
    help: ArgumentHelp(
      "Only with this outcome: permitted, refused (everything else), or a code such as busy.",
      valueName: "outcome"))
  var outcome: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At most so many rows.", valueName: "number"))
  var limit = 50
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1") }
    if let job, job < 1 { throw ValidationError("--job must be at least 1") }
  }

  func run() async throws {
    let backend = EngineBackend(try await global.connect())
    let filter = AuditFilter(
      user: user, since: since, job: job.map { JobID($0) }, act: act, outcome: outcome)
    let rows = try await backend.audits(filter, limit: limit)
    guard json else { return Report.lines(AuditTable.lines(rows, timeOffset: LocalTime.offset)) }
    try Report.json(rows)
  }
}

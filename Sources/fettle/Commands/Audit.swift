import ArgumentParser
import InstallJobs
import JobClient
import JobText

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
    help: ArgumentHelp(
      "Only this act, by its word on record or the command's name: submit, install, abort, cleanup, "
        + "...", valueName: "act"))
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
    _ = try AuditQuery(act: act)
    _ = try outcome.map(AuditQuery.outcome)
  }

  func run() async throws {
    let session = try await global.connect()
    let words = try AuditQuery(act: act)
    var filter = AuditFilter(user: user, since: since, job: job.map { JobID($0) }, outcome: outcome)
    var rows: [AuditRecord] = []
    for act in words.acts.map({ $0.map(Optional.some) }) ?? [nil] {
      filter.act = act
      rows += try await self.rows(filter, words.operation, of: session)
    }
    rows = Array(rows.sorted { $0.number > $1.number }.prefix(limit))
    guard json else { return Report.lines(AuditTable.lines(rows, timeOffset: LocalTime.offset)) }
    try Report.json(rows)
  }

  /// Returns the newest matching rows; with an operation, searches further back until enough
  /// submissions are found.
  private func rows(
    _ filter: AuditFilter, _ operation: JobOperation?, of session: UpdateSession
  ) async throws(InstallationError) -> [AuditRecord] {
    var most = limit
    while true {
      let rows = try await session.auditRecords(matching: filter, limit: most)
      let wanted = rows.filter { operation == nil || $0.operation == operation }
      if wanted.count >= limit || rows.count < most || most >= 1 << 30 { return wanted }
      most *= 4
    }
  }
}

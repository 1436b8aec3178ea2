import Glibc
import InstallJobs
import JobClient
import JobScreen

/// Plans or submits a request and sees it through as far as the options say.
struct Submission {
  let operation: JobOperation
  let packages: [String]
  let options: SubmitOptions
  let global: GlobalOptions
  var isForced = false

  /// - Throws: Whatever the engine refuses; an ``ExitStatus`` for the job's result.
  func run() async throws {
    // What is malformed needs no engine to be refused.
    let named = try packages.filter { !LocalFile.isPath($0) }.map { try Update(parsing: $0) }
    let files = packages.filter(LocalFile.isPath)
    if operation != .install, let file = files.first {
      throw InstallationError(
        .notApplicable, "cannot \(operation.rawValue) '\(file)': it is a file", class: .fatal,
        hint: "name the package")
    }
    let opened = try files.map { try LocalFile($0) }
    let connection = try await global.connect()
    let backend = EngineBackend(connection)
    var updates: [Update] = []
    for file in opened { updates.append(try await file.upload(to: backend)) }
    var installation = options.installation
    installation.isForced = isForced
    let request = try JobRequest(operation, named + updates, options: installation).validated()
    if options.planOnly { return try await show(backend.plan(request), of: request) }
    let job = try await backend.submit(request)
    if options.follow || options.wait {
      if !options.json { Report.line(options.follow ? "job \(job.id)" : "\(job.id)") }
      let prints = options.follow && !options.json
      let status = try await Following(
        connection, jobs: [job.id], prints: prints,
        reconnect: { () async throws(InstallationError) in try await global.connect() }
      ).untilEnd()
      // The connection of the beginning may be gone with an engine that was restarted.
      if options.json {
        let present = EngineBackend(try await global.connect())
        try Report.json(await present.job(job.id))
      }
      throw status
    }
    if options.json { try Report.json(job) } else { Report.line("\(job.id)") }
  }

  private func show(_ plan: JobPlan, of request: JobRequest) throws {
    let requester = Requester(uid: geteuid(), user: "")
    let shape = JobSnapshot(
      id: JobID(0), request: request, plan: plan, requestedBy: requester, provider: "",
      submittedAt: Timestamp(milliseconds: 0))
    guard options.json else { return Report.lines(PlanTable.lines(plan, request)) }
    try Report.json(shape)
  }
}

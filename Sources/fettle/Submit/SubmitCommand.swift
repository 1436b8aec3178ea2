import Glibc
import InstallJobs
import JobClient
import JobScreen

/// Plans or submits a request and sees it through as far as the options say.
struct SubmitCommand {
  let request: JobRequest
  let options: SubmitOptions
  let global: GlobalOptions

  /// - Throws: Whatever the engine refuses; an ``ExitStatus`` for the job's result.
  func run(on session: UpdateSession) async throws {
    if options.planOnly { return try await show(session.plan(request)) }
    await warn(session)
    let job = try await session.submit(request)
    if options.follow || options.wait {
      if !options.json { Report.line(options.follow ? "job \(job.id)" : accepted(job.id)) }
      let prints = options.follow && !options.json
      let status = try await Following(
        session, jobs: [job.id], prints: prints,
        reconnect: { () async throws(InstallationError) in try await global.connect() }
      ).untilEnd()
      // The connection of the beginning may be gone with an engine that was restarted.
      if options.json {
        let present = try await global.connect()
        try Report.json(await present.snapshot(of: job.id))
      }
      throw status
    }
    if options.json { try Report.json(job) } else { Report.line(accepted(job.id)) }
  }

  /// Tells a person what the plan is warned of; what is refused is left to the submission, which is on
  /// record.
  private func warn(_ session: UpdateSession) async {
    // A plan with local archives is not remembered, and would be made twice.
    guard isatty(STDOUT_FILENO) == 1, !request.updates.contains(where: { $0.archive != nil }),
      let plan = try? await session.plan(request)
    else { return }
    for warning in plan.advised(Report.addressed).warnings { Report.note("warning: \(warning)") }
  }

  /// What is said of a job that was accepted: a sentence to a person, the bare number to a script.
  private func accepted(_ id: JobID) -> String {
    isatty(STDOUT_FILENO) == 1 ? "job \(id) is in the queue" : "\(id)"
  }

  private func show(_ plan: JobPlan) throws {
    let requester = Requester(uid: geteuid(), user: "")
    let shape = JobSnapshot(
      id: JobID(0), request: request, plan: plan, requestedBy: requester, provider: "",
      submittedAt: Timestamp(milliseconds: 0))
    guard options.json else {
      return Report.lines(PlanTable.lines(plan.advised(Report.addressed), request))
    }
    try Report.json(shape)
  }
}

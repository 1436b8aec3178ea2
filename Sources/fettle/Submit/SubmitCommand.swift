import Glibc
import InstallJobs
import JobClient
import JobText

/// Plans or submits a request, and follows or awaits the job as the options say.
struct SubmitCommand {
  let options: SubmitOptions
  let global: GlobalOptions

  /// Builds a request from typed names and archive files, and plans or submits it.
  ///
  /// - Throws: The engine's error; an ``ExitStatus`` for the job's result.
  func run(
    _ operation: JobOperation, _ packages: [String], isForced: Bool = false,
    planning: (inout PlanningOptions) -> Void = { _ in }
  ) async throws {
    // Malformed arguments are refused before connecting.
    let named = try NamedPackages(packages.filter { !LocalFile.isPath($0) })
    let files = packages.filter(LocalFile.isPath)
    if operation != .install, let file = files.first {
      throw InstallationError(
        .notApplicable, "cannot \(operation.rawValue) '\(file)': it is a file", class: .fatal,
        hint: "name the package")
    }
    let opened = try files.map { try LocalFile($0) }
    let session = try await options.connect(global)
    var updates = try await named.updates(for: operation, on: session)
    for file in opened { updates.append(try await file.upload(to: session)) }
    var installation = options.installation
    installation.isForced = isForced
    planning(&installation.planning)
    let request = try JobRequest(operation, updates, options: installation).validated()
    do {
      try await run(request, on: session)
    } catch var error as InstallationError {
      // The engine knows only the archives' file names, so its hints get the typed paths here.
      for file in opened { error.hint = error.hint.map(file.located) }
      throw error
    }
  }

  /// Plans or submits a request.
  ///
  /// - Throws: The engine's error; an ``ExitStatus`` for the job's result.
  func run(_ request: JobRequest, on session: UpdateSession) async throws {
    if options.planOnly { return try show(try await session.plan(request), of: request) }
    await warn(of: request, session)
    let job = try await submit(request, on: session)
    if options.follow || options.wait {
      if !options.json { Report.line(options.follow ? "job \(job.id)" : accepted(job.id)) }
      let prints = options.follow && !options.json
      let status = try await FollowRun(session: session, jobs: [job.id], prints: prints)
        .untilEnd()
      if options.json { try Report.json(await session.snapshot(of: job.id)) }
      throw status
    }
    if options.json { try Report.json(job) } else { Report.line(accepted(job.id)) }
  }

  /// Submits a request; on a terminal, asks for consent to removals that the request does not name.
  private func submit(
    _ request: JobRequest, on session: UpdateSession
  ) async throws -> JobSnapshot {
    do throws(InstallationError) {
      return try await session.submit(request)
    } catch {
      guard error.code == .needsConsent, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
        !options.json, !options.yes
      else { throw error }
      let plan = try await session.plan(request)
      Report.lines(PlanTable.lines(plan.advised(Report.addressed), request))
      guard Question.ask("\(error.message). Go on? [y/N] ", yes: "y", otherwise: "n") else {
        throw error
      }
      // The consent holds for the packages that were shown; a plan with others is refused.
      var consented = request
      consented.options.planning.consentedRemovals = plan.removalsThatNeedConsent
      return try await session.submit(consented)
    }
  }

  /// Prints the warnings of the plan when standard output is a terminal.
  ///
  /// A refused plan is ignored here: the submission is refused with the same error and is audited.
  private func warn(of request: JobRequest, _ session: UpdateSession) async {
    // The engine does not cache a plan with local archives, so it would be made twice.
    guard isatty(STDOUT_FILENO) == 1, !request.updates.contains(where: { $0.archive != nil }),
      let plan = try? await session.plan(request)
    else { return }
    for warning in plan.advised(Report.addressed).warnings { Report.note("warning: \(warning)") }
  }

  /// Returns the line for an accepted job: a sentence on a terminal, the bare number in a script.
  private func accepted(_ id: JobID) -> String {
    isatty(STDOUT_FILENO) == 1 ? "job \(id) is in the queue" : "\(id)"
  }

  private func show(_ plan: JobPlan, of request: JobRequest) throws {
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

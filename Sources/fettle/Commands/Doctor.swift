import ArgumentParser
import FoundationEssentials
import InstallJobs
import JobClient
import JobText

/// The command `fettle doctor`.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check rights, sources, space, packages, locks and journal; say what to do.",
    discussion: """
      Asks the engine, and looks at the root itself where none answers, or where --root names \
      another root than the engine's. Nothing is changed. Exit status 0: nothing stands in the way \
      of a job; 1: something must be put right first, an engine that was named with --socket or \
      FETTLE_SOCKET and does not answer among it: then no root is looked at unless one is named.

      With --repair the engine carries out a repair job: what is unpacked is configured, what was \
      cut off is unpacked again, what is missing is installed, and with --allow-removals what cannot \
      be completed is removed. The exit status is the job's; faults that are left are listed.
      """)

  @Option(help: ArgumentHelp("The package root to look at.", valueName: "folder"))
  var root: String?
  @Option(
    help: ArgumentHelp(
      "The state folder to look at where no engine answers.", valueName: "folder"))
  var state: String?
  @Flag(help: "Submit a repair job and follow it to its end.") var repair = false
  @Flag(help: "With --repair: consent to removals, where nothing else completes the packages.")
  var allowRemovals = false
  @Flag(name: .customLong("plan"), help: "With --repair: show what would be done, submit nothing.")
  var planOnly = false
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if repair, global.readOnly {
      throw ValidationError("--read-only and --repair exclude each other")
    }
    if repair, state != nil { throw ValidationError("--state and --repair exclude each other") }
    if !repair, allowRemovals || planOnly {
      throw ValidationError("--allow-removals and --plan are for --repair")
    }
    for (name, path) in [("root", root), ("state", state)] where path == "" {
      throw ValidationError("--\(name) names no path")
    }
  }

  func run() async throws {
    if repair { return try await repairRoot() }
    let checkup = try await MachineCheckup(root: root, state: state, global: global).checkup()
    if json {
      try Report.json(checkup)
    } else {
      let lines = CheckupLines.lines(checkup)
      // Findings about a named root do not concern the engine at the typed socket.
      Report.lines(root == nil ? lines.map(Report.addressed) : lines)
    }
    if checkup.verdict == .fault { throw ExitStatus.failed }
  }

  private func repairRoot() async throws {
    let folder = root ?? "DIR"
    let session: UpdateSession
    do throws(InstallationError) {
      session = try await global.connect(reconnectingFor: GlobalOptions.restartLimit)
    } catch {
      guard error.code == .engineUnreachable else { throw error }
      throw InstallationError(
        .engineUnreachable, "cannot repair without an engine: \(error.message)",
        class: .transient,
        hint: "start one: 'fettle engine --root \(folder)'; 'fettle root repair \(folder)' needs"
          + " none and configures what is left")
    }
    if let root {
      try await MachineCheckup(root: root, state: nil, global: global).expectRoot(of: session)
    }
    var options = InstallationOptions()
    options.clientName = "fettle"
    options.comment = "fettle doctor --repair"
    options.planning.allowsRemovals = allowRemovals
    let request = JobRequest(.repair, [], options: options)
    if planOnly {
      let plan = try await session.plan(request)
      if json { return try Report.json(plan) }
      return Report.lines(PlanTable.lines(plan.advised(Report.addressed), request))
    }
    let job = try await session.submit(request)
    if !json { Report.line("job \(job.id)") }
    let status = try await FollowRun(session: session, jobs: [job.id], prints: !json).untilEnd()
    if json {
      try Report.json(await session.snapshot(of: job.id))
    } else {
      let left = try await session.checkup().findings.filter { $0.verdict == .fault }
      for finding in left {
        Report.note(
          "still: \(finding.message)" + (finding.hint.map { "; \(Report.addressed($0))" } ?? ""))
      }
    }
    throw status
  }
}

import Canvas
import InstallJobs
import JobText

/// Creating a job: packages, plan, submission.
extension PlainConversation {
  mutating func handle(packages words: String, for operation: JobOperation) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    if let reason = state.changeRefusal { return Answer(lines: ["not now: \(sanitize(reason))"]) }
    do {
      let isAll = words == "all" && (operation == .upgrade || operation == .repair)
      let request = try ComposeDraft(operation, packages: isAll ? "" : words).request()
      step = .planning(request)
      return Answer(lines: ["the plan is being made"], intents: [.plan(request)])
    } catch {
      step = .packages(operation)
      return Answer(lines: [sanitize(error.description), "packages, or Enter for nothing:"])
    }
  }

  mutating func show(_ plan: JobPlan, of request: JobRequest) -> [String] {
    guard case .planning(request) = step else { return [] }
    // Who submits the plan consents to the removals that it shows.
    let removed = plan.stepsThatNeedConsent.map(\.name)
    var consented = request
    consented.options.planning.consentedRemovals = plan.removalsThatNeedConsent
    step = .plan(consented)
    let rows = plan.steps.map { step in
      "\(step.action.rawValue) \(step.name) \(step.toVersion ?? step.fromVersion ?? "")"
        + (step.requested ? "" : ", " + step.reasonUnasked)
    }
    let consent =
      removed.isEmpty ? "" : ", and have \(sanitize(JobEnding.list(removed))) removed, too"
    let warnings = plan.warnings.map { "warning: \($0)" }
    return (rows + warnings).map(sanitize) + [
      "plan: " + PlanSummary(plan).sentence, "1 leave it, 2 submit it\(consent); number:",
    ]
  }

  mutating func decide(_ words: String, _ request: JobRequest) -> Answer {
    step = .idle
    guard words == "2" else { return Answer(lines: ["nothing was submitted"]) }
    if let reason = state.changeRefusal { return Answer(lines: ["not now: \(sanitize(reason))"]) }
    return Answer(intents: [.submit(request)])
  }
}

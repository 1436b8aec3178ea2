import HostSystem
package import InstallJobs
package import PackageProvider

/// Converts dpkg's status lines into reports about a plan's steps.
///
/// Has no side effects: the same lines give the same reports, a repeated line changes nothing, and
/// a line about an unknown package reports only that dpkg is alive. dpkg repeats the state of each
/// package once in each process, names packages that only run a trigger, and moves an upgrade's old
/// version through states that look like progress. So the meaning of a line depends on the step's
/// action and on the earlier lines about it.
package struct DpkgInterpreter: Sendable {
  private let plan: JobPlan
  private let names: PlanNames
  private var progress: [Int: Progress] = [:]
  private var trigger: DpkgPackageName?
  /// The step whose package dpkg configures; questions about configuration files belong to it.
  private var configuring: Int?

  private struct Progress: Sendable {
    var isUnpacked = false
    var isConfiguring = false
    var last: DpkgStatusLine.State?
  }

  /// Creates an interpreter without earlier lines.
  package init(plan: JobPlan, native: String = PlanNames.machine) {
    self.plan = plan
    self.names = PlanNames(plan, native: native)
  }

  /// Returns the reports for one line without its line feed.
  package mutating func reports(for line: some StringProtocol) -> [WorkReport] {
    switch DpkgStatusLine(line) {
    case .processing(let action, let package): handleProcessing(action, package)
    case .state(let package, let state): handleState(state, package)
    case .error(_, DpkgFailure.heldBack): [.alive]
    case .error(let subject, let text): failed(subject, text)
    case .conffilePrompt(let path): conffile(path)
    case nil: [.alive]
    }
  }

  private mutating func handleProcessing(
    _ action: DpkgStatusLine.Action, _ package: DpkgPackageName
  ) -> [WorkReport] {
    let step = names.step(of: package)
    configuring = nil
    switch (action, step) {
    case (.install, let step?), (.upgrade, let step?):
      progress[step] = Progress()
      return [.phase(step: step, .unpacking)]
    case (.configure, let step?):
      progress[step, default: Progress()].isUnpacked = true
      progress[step, default: Progress()].isConfiguring = true
      configuring = step
      return [.phase(step: step, .configuring)]
    case (.triggers, let step?) where progress[step]?.isUnpacked == true:
      return [.phase(step: step, .triggers)]
    case (.remove, let step?), (.purge, let step?), (.disappear, let step?):
      guard plan.steps[step].action.removes else { return [.alive] }
      progress[step, default: Progress()].isConfiguring = true
      return [.phase(step: step, .removing)]
    case (.triggers, _):
      trigger = package
      return [.trigger(package.name)]
    default: return [.alive]
    }
  }

  private mutating func handleState(
    _ state: DpkgStatusLine.State, _ package: DpkgPackageName
  ) -> [WorkReport] {
    if package == trigger, state == .installed {
      trigger = nil
      return [.trigger(nil)]
    }
    guard let step = names.step(of: package) else { return [.alive] }
    let before = progress[step] ?? Progress()
    progress[step, default: Progress()].last = state
    let phase: UpdatePhase?
    switch plan.steps[step].action {
    case .install, .upgrade, .downgrade, .reinstall, .configure:
      phase = Self.arrival(in: state, after: before)
      if phase == .unpacked { progress[step, default: Progress()].isUnpacked = true }
    case .remove:
      phase = state == .configFiles || state == .notInstalled ? .done : nil
    case .purge:
      phase = state == .notInstalled ? .done : nil
    }
    return [phase.map { .phase(step: step, $0) } ?? .alive]
  }

  // The second `unpacked` of an upgrade ends the unpacking. The first one belongs to the old
  // version and comes before `half-installed`.
  private static func arrival(
    in state: DpkgStatusLine.State, after before: Progress
  ) -> UpdatePhase? {
    switch state {
    case .unpacked where before.isConfiguring: nil
    case .unpacked: before.last == .halfInstalled || before.isUnpacked ? .unpacked : nil
    case .triggersAwaited, .triggersPending: before.isConfiguring ? .triggers : nil
    case .installed: before.isConfiguring ? .done : nil
    case .notInstalled, .configFiles, .halfInstalled, .halfConfigured: nil
    }
  }

  /// dpkg prints this line under every policy, and decides by the policy.
  private func conffile(_ path: String) -> [WorkReport] {
    guard let configuring else { return [.alive] }
    return [.conffile(step: configuring, path: Sanitised.line(path))]
  }

  private func failed(_ subject: String, _ text: String) -> [WorkReport] {
    let failure = DpkgFailure(text)
    guard let step = names.step(named: subject) else {
      let shown = Sanitised.line(subject, limit: 120)
      let message = "the package tool reports a failure of \(shown)"
      let error = InstallationError(
        .packageFailed, message, detail: failure.detail,
        hint: "earlier work left it half done, and this job could not complete it: 'fettle doctor'"
          + " says what to do, then submit the job again")
      return [.failed(step: nil, error)]
    }
    let planned = plan.steps[step]
    let isFull = text.contains("No space left on device")
    return [
      .failed(
        step: step,
        InstallationError(
          isFull ? .noSpace : .packageFailed,
          "cannot \(failure.activity(of: planned.action)) \(planned.name)",
          update: planned.name, detail: failure.detail,
          hint: Self.nextStep(after: text, of: planned.action)))
    ]
  }

  /// The next step for the user, where dpkg's words (strerror(3) in the C locale) name the cause.
  private static func nextStep(after text: String, of action: PlannedAction) -> String {
    if text.contains("No space left on device") {
      return "free some space and submit the job again"
    }
    if text.contains("Read-only file system") {
      return "the file system is read-only: the kernel's log (dmesg) says why; make it writable "
        + "and submit the job again"
    }
    let words = "the job's log has the package's own words"
    // A package that cannot be removed may be complete.
    return action.removes
      ? words + "; put right what its script needs and submit the job again"
      : words + "; 'fettle doctor' says what to do"
  }
}

import InstallJobs
import PackageProvider

@testable import JobEngine

/// A machine with a plan of three installs, and short words for its inputs.
struct JobMachineFixture {
  static let ops = Requester(uid: 1000, user: "ops")
  var machine: JobMachine
  var log: [JobMachine.Action] = []
  var second: Int64 = 0

  init(
    _ operation: JobOperation = .install, steps: [String] = ["p1", "q2", "q3"],
    requested: [String]? = nil, archives: Bool = true,
    options: InstallationOptions = InstallationOptions()
  ) {
    let asked = requested ?? [steps.last ?? ""]
    let plan = JobPlan(
      requests: asked.map { name in
        JobPlan.Request(update: Update(name), step: steps.firstIndex(of: name))
      },
      steps: steps.map { name in
        PlannedUpdate(
          name: name, architecture: "all", action: .install, toVersion: "1.0", downloadSize: 1000,
          requested: asked.contains(name))
      },
      archives: archives
        ? Dictionary(
          uniqueKeysWithValues: steps.indices.map {
            (
              $0,
              PlannedArchive(
                fileName: "\(steps[$0])_1.0_all.deb", size: 1000, hash: nil, uri: "copy:/x")
            )
          }) : [:])
    let snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(operation, asked.map { Update($0) }, options: options),
      plan: plan,
      requestedBy: Self.ops, provider: "test", submittedAt: Timestamp(milliseconds: 0))
    machine = JobMachine(snapshot, plan: plan)
  }

  var snapshot: JobSnapshot { machine.snapshot }

  @discardableResult
  mutating func feed(_ input: JobMachine.Input) throws -> [JobMachine.Action] {
    second += 1
    let actions = try machine.handle(input, at: Timestamp(milliseconds: second * 1000))
    log += actions
    return actions
  }

  mutating func report(_ reports: WorkReport...) throws { try feed(.reports(reports)) }

  /// Brings the machine to where dpkg works.
  mutating func startInstalling() throws {
    try feed(.begin)
    try feed(.started)
    try report(.stage(.installing))
  }

  mutating func install(_ step: Int) throws {
    try report(.phase(step: step, .unpacking), .phase(step: step, .unpacked))
    try report(.phase(step: step, .configuring), .phase(step: step, .done))
  }

  /// Ends the work and has the package database say that the given steps are installed.
  @discardableResult
  mutating func end(
    installed: Set<Int>, exitStatus: Int32 = 0, stopped: Bool = false,
    half: [Int: String] = [:], audit: String = ""
  ) throws -> [JobMachine.Action] {
    try report(.ended(WorkEnd(exitStatus: exitStatus, stoppedAtBoundary: stopped)))
    return try verified(installed: installed, half: half, audit: audit)
  }

  @discardableResult
  mutating func verified(
    installed: Set<Int>, half: [Int: String] = [:], audit: String = "",
    before: RebootMarker = RebootMarker(isSet: false),
    after: RebootMarker = RebootMarker(isSet: false)
  ) throws -> [JobMachine.Action] {
    let findings = machine.plan.steps.indices.map { step in
      Verification.Finding(
        isAsPlanned: installed.contains(step),
        isUntouched: !installed.contains(step) && half[step] == nil,
        state: installed.contains(step) ? "installed" : half[step] ?? "not-installed",
        version: installed.contains(step) ? "1.0" : nil)
    }
    return try feed(
      .verified(
        Verification(findings: findings, audit: audit), before: before, after: after))
  }

  /// The states that were stored, in order.
  var states: [JobState] {
    log.compactMap {
      if case .record(.state(let change)) = $0 { change.state } else { nil }
    }
  }

  /// How often the end was stored.
  var completions: Int {
    log.count { if case .record(.completed) = $0 { true } else { false } }
  }
}

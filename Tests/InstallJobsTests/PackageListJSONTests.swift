import FoundationEssentials
import InstallJobs
import Support
import Testing

@Suite struct `Long lists of packages as JSON` {
  private static let odd = [
    "a", "", "x\"y\\z", "tab\there", "line\nend", "nul\u{0}", "\u{1f}\u{7f}", "ü 漢字 🐧",
    #""updates":[]"#, #"\"plan\":[]"#, "a/b",
  ]

  private static func status(_ random: inout RepeatableNumbers) -> UpdateStatus {
    func text() -> String { odd.randomElement(using: &random) ?? "" }
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    var planned = PlannedUpdate(
      name: text(), architecture: text(),
      action: PlannedAction.allCases.randomElement(using: &random) ?? .install,
      fromVersion: maybe(text()), toVersion: maybe(text()),
      downloadSize: Int64.random(in: .min ... .max, using: &random), installedSize: 7,
      origin: maybe(text()), requested: Bool.random(using: &random))
    planned.isSecurity = Bool.random(using: &random)
    planned.keptBack = maybe(text())
    var times = PhaseTimes()
    for phase in UpdatePhase.allCases where Bool.random(using: &random) {
      times.record(
        phase, at: Timestamp(milliseconds: Int64.random(in: 0...2_000_000_000_000, using: &random)))
    }
    return UpdateStatus(
      planned, phase: UpdatePhase.allCases.randomElement(using: &random) ?? .pending,
      percentComplete: [0, 100, 33.3, 1e-7, .random(in: 0...100, using: &random)]
        .randomElement(using: &random) ?? 0,
      resultCode: OperationResultCode.allCases.randomElement(using: &random) ?? .failed,
      note: maybe(.keptConfiguration), downloadedBytes: 12,
      requiresReboot: Bool.random(using: &random), phaseTimes: times)
  }

  private static func job(_ count: Int, _ random: inout RepeatableNumbers) -> JobSnapshot {
    var job = `The JSON of jobs and events`.job
    job.options.comment = odd.randomElement(using: &random)
    job.activity = #""updates":[],"plan":[]"#
    job.updates = (0..<count).map { _ in status(&random) }
    job.updateSteps = job.updates.indices.map { $0 }
    job.plan = Bool.random(using: &random) ? job.updates.reversed() : nil
    return job
  }

  private func encoder(_ calls: inout Int, _ value: some Encodable) throws -> [UInt8] {
    calls += 1
    return [UInt8](try JSONEncoder().encode(value))
  }

  /// The same keys and values, in whatever order.
  private func isSame(_ bytes: [UInt8], as value: some Encodable) throws -> Bool {
    try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
      == JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
  }

  @Test(arguments: 1...6) func `a job and its events are written as an encoder writes them`(
    seed: UInt64
  ) throws {
    var random = RepeatableNumbers(seed: seed)
    for count in [0, 1, 31, 32, 60] {
      let job = Self.job(count, &random)
      var calls = 0
      let text = try PackageListJSON.encode(job) { try encoder(&calls, $0) }
      #expect(try JSONDecoder().decode(JobSnapshot.self, from: Data(text)) == job)
      #expect(try isSame(text, as: job))
      #expect(calls == 1, "the lists are put into what the encoder gave first")
      let outcome = JobOutcome(
        state: .completed, resultCode: .failed, percentComplete: 1, error: nil,
        requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [], updates: job.updates)
      for payload in [
        JobEvent.Payload.submitted(job.withoutPlan), .completed(outcome),
        .cleanedUp(by: job.requestedBy),
      ] {
        let event = JobEvent(
          seq: 4, at: Timestamp(milliseconds: 5), job: job.id, payload: payload)
        let text = try PackageListJSON.encode(event) { try encoder(&calls, $0) }
        #expect(try JSONDecoder().decode(JobEvent.self, from: Data(text)) == event)
        #expect(try isSame(text, as: event))
      }
      for status in job.updates {
        #expect(try isSame(try #require(PackageListJSON.text(of: status)), as: status))
      }
    }
  }

  @Test(arguments: 1...20) func `what is told of a package is written as an encoder writes it`(
    seed: UInt64
  ) throws {
    var random = RepeatableNumbers(seed: seed)
    let standings: [JobEvent.ProgressMark?] = [
      nil, JobEvent.ProgressMark(percentComplete: 0.1 + 0.2),
      .init(percentComplete: 100, logLength: 7),
    ]
    for (index, status) in Self.job(20, &random).updates.enumerated() {
      for (job, standing) in zip([JobID(3), nil, JobID(4)], standings) {
        let event = JobEvent(
          seq: index, at: Timestamp(milliseconds: 1_000_000_000_005), job: job,
          payload: .update(index: index, status: status), progressMark: standing)
        let text = try #require(PackageListJSON.text(of: event))
        #expect(try JSONDecoder().decode(JobEvent.self, from: Data(text)) == event)
        #expect(try isSame(text, as: event))
      }
    }
  }

  private static func disposition(_ random: inout RepeatableNumbers) -> AbortDisposition {
    let text = odd.randomElement(using: &random) ?? ""
    return [
      .accepted(stopsAfter: nil), .accepted(stopsAfter: text, etaSeconds: 1.5),
      .refused(reason: AbortRefusal(.finalStep, text)), .alreadyCompleted,
    ].randomElement(using: &random) ?? .alreadyCompleted
  }

  @Test(arguments: 1...50) func `a state and an end are written as an encoder writes them`(
    seed: UInt64
  ) throws {
    var random = RepeatableNumbers(seed: seed)
    func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    let state = JobState.allCases.randomElement(using: &random) ?? .queued
    var change = JobStateChange(state, abortPreview: Self.disposition(&random))
    change.currentUpdateIndex = maybe(3)
    change.currentStepIndex = maybe(0)
    change.downloadedBytes = maybe(.max)
    change.priority = maybe(-100)
    let outcome = JobOutcome(
      state: state, resultCode: .succeeded, percentComplete: 99.5, error: nil,
      requiresReboot: Bool.random(using: &random), rebootReasons: [], exitStatus: maybe(-1),
      repairs: [], updates: Self.job(Int.random(in: 0...40, using: &random), &random).updates)
    let standing = JobEvent.ProgressMark(
      percentComplete: 12.25, logLength: maybe(9), abortPreview: Self.disposition(&random))
    for payload in [JobEvent.Payload.state(change), .completed(outcome)] {
      let event = JobEvent(
        seq: 8, at: Timestamp(milliseconds: 1_000_000_000_005), job: JobID(3), payload: payload,
        progressMark: maybe(standing))
      let text = try #require(PackageListJSON.text(of: event))
      #expect(try JSONDecoder().decode(JobEvent.self, from: Data(text)) == event)
      #expect(try isSame(text, as: event))
    }
  }

  @Test func `what is seldom told is left to the encoder`() throws {
    var random = RepeatableNumbers(seed: 4)
    let job = Self.job(1, &random)
    func text(
      _ payload: JobEvent.Payload, _ standing: JobEvent.ProgressMark? = nil
    ) -> [UInt8]? {
      PackageListJSON.text(
        of: JobEvent(
          seq: 1, at: Timestamp(milliseconds: 5), job: job.id, payload: payload,
          progressMark: standing)
      )
    }
    let update = JobEvent.Payload.update(index: 0, status: job.updates[0])
    #expect(text(update) != nil)
    #expect(text(update, .init(percentComplete: .nan)) == nil)
    let endless = AbortDisposition.accepted(stopsAfter: "a", etaSeconds: .infinity)
    #expect(text(update, .init(percentComplete: 1, abortPreview: endless)) == nil)
    #expect(text(.cleanedUp(by: job.requestedBy)) == nil)
    var change = JobStateChange(.queued, abortPreview: .alreadyCompleted)
    change.waitingFor = WaitReason(.paused, "held")
    #expect(text(.state(change)) == nil)
    (change.waitingFor, change.movedBy) = (nil, job.requestedBy)
    #expect(text(.state(change)) == nil)
    var outcome = JobOutcome(
      state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
      requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [], updates: [])
    #expect(text(.completed(outcome)) != nil)
    let seldom: [(inout JobOutcome) -> Void] = [
      { $0.error = InstallationError(.packageFailed, "no") }, { $0.rebootReasons = ["linux"] },
      { $0.interruptedAt = Timestamp(milliseconds: 1) },
      { $0.workEndedAt = Timestamp(milliseconds: 1) }, { $0.percentComplete = .nan },
      { $0.repairs = [.finishConfiguration] },
      { $0.afterReboot = RebootVerification(.pending, bootID: "b") },
      { $0.counts = ResultCounts(failed: 1) },
    ]
    // What is added later must be written, too.
    #expect(Mirror(reflecting: outcome).children.count == 13)
    #expect(Mirror(reflecting: change).children.count == 8)
    let plain = outcome
    for change in seldom {
      outcome = plain
      change(&outcome)
      #expect(text(.completed(outcome)) == nil)
    }
  }

  @Test func `an error, and a number that JSON has not, are left to the encoder`() throws {
    var random = RepeatableNumbers(seed: 3)
    var job = Self.job(50, &random)
    job.updates[40].error = InstallationError(.packageFailed, "no")
    var calls = 0
    let text = try PackageListJSON.encode(job) { try encoder(&calls, $0) }
    #expect(try JSONDecoder().decode(JobSnapshot.self, from: Data(text)) == job)
    #expect(PackageListJSON.text(of: job.updates[40]) == nil)
    job.updates[0].percentComplete = .nan
    #expect(PackageListJSON.text(of: job.updates[0]) == nil)
  }
}

import AptProvider
import InstallJobs
import PackageProvider
import Testing

@Suite struct `Where work will stop` {
  @Test func `B17: each recorded call has its boundary`() throws {
    let stream = try RecordedStream("chain")
    func answer(_ calls: Int) -> StopAnswer { Self.decision(stream, calls: calls).answer }
    #expect(answer(0) == .atOnce)
    #expect(answer(1) == .after(step: 0))
    #expect(answer(2) == .after(step: 0))
    #expect(answer(3) == .after(step: 1))
    #expect(answer(4) == .after(step: 1))
    #expect(answer(5) == .finalStep(2))
    #expect(answer(stream.calls.count) == .finalStep(2))
  }

  @Test(arguments: RecordedStream.names)
  func `a recorded simulation is what the plan expects`(name: String) throws {
    let stream = try RecordedStream(name)
    let expected = Set(stream.job.plan.steps.compactMap { WorkSequence.expectation(of: $0) })
    #expect(WorkSequence.operations(printed: stream.sequence) == expected)
    #expect(!expected.isEmpty)
  }

  @Test func `unfinished packages and broken dependencies are no boundary`() {
    let plan = Self.plan(["a", "b", "c", "d"])
    let printed = """
      Inst a (1 x [all]) [b:all on a:all]
      Inst b (1 x [all])
      Conf b (1 x [all])
      Conf a (1 x [all]) [c:all ]
      Inst c (1 x [all])
      Conf c (1 x [all])
      Inst d (1 x [all])
      Conf d (1 x [all])
      """
    let sequence = WorkSequence(printed: printed, names: PlanNames(plan, native: "amd64"))
    let decision = StopDecision(
      calls: ["unpack\ta_1_all.deb"], sequence: sequence, plan: plan,
      names: PlanNames(plan, native: "amd64"))
    #expect(decision.answer == .after(step: 2))
    #expect(Set(decision.permittedNames).isSuperset(of: ["b", "c"]))
    #expect(!decision.permittedNames.contains("d"))
  }

  @Test func `removals of one call are not parted`() {
    var plan = Self.plan(["a", "b", "c"])
    for step in plan.steps.indices { plan.steps[step].action = .remove }
    let decision = StopDecision(
      calls: ["remove\ta:all\tb:all\tc:all"], sequence: WorkSequence(of: plan), plan: plan,
      names: PlanNames(plan, native: "amd64"))
    #expect(decision.answer == .finalStep(2))
  }

  @Test(arguments: [
    StopAnswer.atOnce, .after(step: 12), .finalStep(3),
  ])
  func `an answer is read back as it was given`(answer: StopAnswer) throws {
    var decision = Self.decision(try RecordedStream("chain"), calls: 1)
    decision.answer = answer
    #expect(StopDecision.answer(recordedIn: decision.text(for: Self.record)) == answer)
    #expect(StopDecision.answer(recordedIn: "") == nil)
    #expect(StopDecision.answer(recordedIn: "# after x\n") == nil)
  }

  private static let record = StopRecord(
    .abort(by: Requester(uid: 0, user: "root")), at: Timestamp(milliseconds: 0))

  private static func decision(_ stream: RecordedStream, calls: Int) -> StopDecision {
    let names = PlanNames(stream.job.plan, native: "amd64")
    return StopDecision(
      calls: Array(stream.calls.prefix(calls)),
      sequence: WorkSequence(printed: stream.sequence, names: names), plan: stream.job.plan,
      names: names)
  }

  private static func plan(_ names: [String]) -> JobPlan {
    JobPlan(
      requests: [],
      steps: names.map {
        PlannedUpdate(name: $0, architecture: "all", action: .install, toVersion: "1")
      })
  }
}

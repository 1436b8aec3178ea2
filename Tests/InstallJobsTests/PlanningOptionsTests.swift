import FoundationEssentials
import InstallJobs
import Testing

@Suite struct `What a plan may do beyond the request` {
  private static let plan = JobPlan(
    requests: [JobPlan.Request(update: Update("intruder"), step: 1)],
    steps: [
      PlannedUpdate(name: "panel", architecture: "amd64", action: .remove, fromVersion: "1"),
      PlannedUpdate(
        name: "intruder", architecture: "amd64", action: .install, toVersion: "1", requested: true),
    ])

  private func refusal(_ change: (inout InstallationOptions) -> Void) -> InstallationError? {
    var request = JobRequest(.install, [Update("intruder")])
    change(&request.options)
    do throws(InstallationError) {
      try Self.plan.requireConsent(for: request)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a removal that is not named needs consent, to all or to just this one`() {
    #expect(refusal { _ in }?.code == .needsConsent)
    #expect(refusal { _ in }?.update == "panel")
    #expect(refusal { $0.planning.allowsRemovals = true } == nil)
    #expect(refusal { $0.planning.consentedRemovals = ["panel:amd64"] } == nil)
    #expect(refusal { $0.planning.consentedRemovals = ["panel:i386", "other:amd64"] } != nil)
    #expect(refusal { $0.isDownloadOnly = true } == nil)
  }

  @Test func `a retry takes no consent to any removal over`() throws {
    var request = JobRequest(.install, [Update("intruder")])
    request.options.planning.allowsRemovals = true
    request.options.planning.consentedRemovals = ["panel:amd64"]
    request.options.planning.installsRecommended = false
    var job = JobSnapshot(
      id: JobID(1), request: request, plan: Self.plan, requestedBy: Requester(uid: 1, user: "a"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
    job.state = .completed
    let retry = try request.retrying(job)
    #expect(!retry.options.planning.allowsRemovals)
    #expect(retry.options.planning.consentedRemovals == ["panel:amd64"])
    #expect(retry.options.planning.installsRecommended == false)
  }

  @Test func `options are written only where they are not the default, and read back`() throws {
    var options = InstallationOptions()
    let plain = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
    #expect(!plain.contains("planning"))
    options.planning.release = "stable-backports"
    options.planning.isFullUpgrade = true
    options.planning.consentedRemovals = ["panel:amd64"]
    options.planning.isSecurityOnly = true
    options.planning.excluded = ["linux-*", "a:i386"]
    let text = try JSONEncoder().encode(options)
    #expect(!String(decoding: text, as: UTF8.self).contains("allowsRemovals"))
    #expect(try JSONDecoder().decode(InstallationOptions.self, from: text) == options)
  }

  private static let bad: [(JobOperation, @Sendable (inout PlanningOptions) -> Void)] = [
    (.install, { $0.release = "" }), (.install, { $0.release = "-o" }),
    (.install, { $0.release = "a b" }), (.install, { $0.isFullUpgrade = true }),
    (.install, { $0.release = String(repeating: "a", count: 101) }),
    (.upgrade, { $0.isSecurityOnly = true }), (.upgrade, { $0.excluded = ["b"] }),
    (.upgrade, { $0.consentedRemovals = ["a\nb"] }),
  ]

  @Test(arguments: bad)
  func `what cannot be meant is refused`(
    operation: JobOperation, change: @Sendable (inout PlanningOptions) -> Void
  ) {
    var request = JobRequest(operation, [Update("a")])
    change(&request.options.planning)
    let error = #expect(throws: InstallationError.self) { _ = try request.validated() }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: ["", ":", "a:", "a b", "-o", "a/b", String(repeating: "a", count: 301)])
  func `what is left out is a package or a pattern`(name: String) throws {
    var request = JobRequest(.upgrade, [])
    request.options.planning.excluded = ["linux-*", "a:i386", "*", name]
    let error = #expect(throws: InstallationError.self) { _ = try request.validated() }
    #expect(error?.code == .invalidArgument)
    request.options.planning.excluded.removeLast()
    _ = try request.validated()
  }

  @Test func `a retry of an upgrade to security updates names their versions`() throws {
    var request = JobRequest(.upgrade, [])
    request.options.planning.isSecurityOnly = true
    request.options.planning.excluded = ["b"]
    let plan = JobPlan(
      requests: [JobPlan.Request(update: Update("a"), step: 0)],
      steps: [
        PlannedUpdate(
          name: "a", architecture: "amd64", action: .upgrade, fromVersion: "1", toVersion: "1.1",
          requested: true)
      ])
    var job = JobSnapshot(
      id: JobID(1), request: request, plan: plan, requestedBy: Requester(uid: 1, user: "a"),
      provider: "apt", submittedAt: Timestamp(milliseconds: 0))
    job.state = .completed
    let retry = try request.retrying(job).validated()
    #expect(retry.updates.map(\.version) == ["1.1"])
    #expect(!retry.options.planning.isSecurityOnly && retry.options.planning.excluded.isEmpty)
  }
}

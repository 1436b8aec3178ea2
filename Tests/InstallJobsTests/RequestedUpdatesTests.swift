import Testing

@testable import InstallJobs

@Suite struct `Updates as they were asked for` {
  @Test func `keep their indices where a peer sends fewer than at first`() {
    let named = ["b", "a", "b"].map { Update($0) }
    let steps = ["b", "a"].map {
      PlannedUpdate(name: $0, architecture: "all", action: .install, toVersion: "1")
    }
    let plan = JobPlan(
      requests: ["b", "a"].enumerated().map { .init(update: Update($1), step: $0) }, steps: steps)
    var snapshot = JobSnapshot(
      id: JobID(1), request: JobRequest(.install, ["b", "a"].map { Update($0) }), plan: plan,
      requestedBy: Requester(uid: 0, user: "root"), provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
    let updates = RequestedUpdates(named, of: snapshot)
    #expect(updates.results(in: snapshot).all.map(\.name) == ["b", "a", "b"])
    #expect(updates.index(of: 1) == 1)
    snapshot.updates.removeLast()
    // Not the second "b" in the place of "a".
    #expect(updates.results(in: snapshot).all.map(\.name) == ["b"])
  }
}

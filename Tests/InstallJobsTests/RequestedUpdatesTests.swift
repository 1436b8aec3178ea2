import Testing

@testable import InstallJobs

@Suite struct `Updates as they were asked for` {
  @Test func `L5: the index of what is at work counts updates that are named twice`() {
    let named = ["b", "b", "a", "b"].map { Update($0) }
    let updates = RequestedUpdates(named, of: snapshot("b", "a"))
    #expect(updates.updates == named)
    #expect([0, 1, 2].map { updates.index(of: $0) } == [0, 2, nil])
    #expect(updates.index(of: nil) == nil)
    let plain = RequestedUpdates(["b", "a"].map { Update($0) }, of: snapshot("b", "a"))
    #expect([-1, 0, 1, 2, .max].map { plain.index(of: $0) } == [nil, 0, 1, nil, nil])
    #expect(updates.results(in: snapshot("b", "a")).all.map(\.name) == ["b", "b", "a", "b"])
  }

  @Test func `keep their indices where a peer sends fewer than at first`() {
    let named = ["b", "a", "b"].map { Update($0) }
    var snapshot = snapshot("b", "a")
    let updates = RequestedUpdates(named, of: snapshot)
    #expect(updates.results(in: snapshot).all.map(\.name) == ["b", "a", "b"])
    #expect(updates.index(of: 1) == 1)
    snapshot.updates.removeLast()
    // Not the second "b" in the place of "a".
    #expect(updates.results(in: snapshot).all.map(\.name) == ["b"])
  }

  /// A job that installs packages in this order.
  private func snapshot(_ names: String...) -> JobSnapshot {
    let steps = names.map {
      PlannedUpdate(name: $0, architecture: "all", action: .install, toVersion: "1")
    }
    let plan = JobPlan(
      requests: names.enumerated().map { .init(update: Update($1), step: $0) }, steps: steps)
    return JobSnapshot(
      id: JobID(1), request: JobRequest(.install, names.map { Update($0) }), plan: plan,
      requestedBy: Requester(uid: 0, user: "root"), provider: "test",
      submittedAt: Timestamp(milliseconds: 0))
  }
}

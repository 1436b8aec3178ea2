import InstallJobs
import PackageTools
import Support
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `A worker on a private root` {
  @Test func `installs with dependencies, one package after the other`() async throws {
    let scene = try await WorkScene()
    let work = try await scene.job(.install, ["q3", "omega"])
    let observer = try scene.start(work)
    let end = await observer.end()
    #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    for name in ["p1", "q2", "q3", "alpha", "omega"] {
      #expect(try await scene.repository.state(of: name).hasPrefix("installed"))
      #expect(
        observer.phases(of: name) == [
          .downloading, .downloaded, .unpacking, .unpacked, .configuring, .done,
        ])
    }
    #expect(observer.failures.isEmpty)
    #expect(try await scene.repository.audit().isEmpty)
    #expect(observer.reports.contains(.stage(.downloading)))
    #expect(observer.reports.contains(.stage(.installing)))
  }

  @Test func `B17: an abort in a script stops after the named package`() async throws {
    let scene = try await WorkScene([
      .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
      PackageFixture("q3", fields: ["Pre-Depends": "q2"]),
    ])
    let work = try await scene.job(.install, ["q3"])
    let observer = try scene.start(work)
    #expect(await observer.until("p1", .configuring))
    let preview = await observer.run.previewStop()
    #expect(preview == .after(step: 0))
    let answer = await observer.run.requestStop()
    #expect(answer == .after(step: 0))
    #expect(work.plan.steps[0].name == "p1")
    let again = await observer.run.requestStop()
    #expect(again == answer)
    try scene.release("p1")
    let end = await observer.end()
    #expect(end == WorkEnd(exitStatus: 0, stoppedAtBoundary: true))
    #expect(try await scene.repository.state(of: "p1") == "installed 1.0")
    #expect(try await scene.repository.state(of: "q2") == "absent")
    #expect(try await scene.repository.state(of: "q3") == "absent")
    #expect(try await scene.repository.audit().isEmpty)
    #expect(await observer.run.requestStop() == .over)
  }
}

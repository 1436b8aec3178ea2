import InstallJobs
import PackageTools
import Support
import Testing

@testable import JobEngine

@Suite struct `A plan beside jobs that undo what it takes for granted` {
  private func fixture() async throws -> EngineFixture {
    let scenario = Scenario(
      name: "contrary",
      packages: [
        SimulatedPackage("there").with { $0.installed = "1.0" },
        SimulatedPackage("absent"), SimulatedPackage("other"),
      ])
    return try await EngineFixture.byHand(scenario).0
  }

  private func plan(
    _ operation: JobOperation, _ names: [String], on fixture: EngineFixture
  ) async throws -> JobPlan {
    try await fixture.backend.plan(JobRequest(operation, names.map { Update($0) }))
  }

  @Test(arguments: [
    (
      JobOperation.remove, "there", JobOperation.install,
      "is installed, but job 1 ahead removes there ("
    ),
    (.purge, "there", .install, "is installed, but job 1 ahead purges there ("),
    (.install, "absent", .remove, "is not installed, but job 1 ahead installs absent ("),
  ])
  func `warns of each`(
    open: JobOperation, name: String, asked: JobOperation, words: String
  ) async throws {
    let fixture = try await fixture()
    #expect(try await plan(asked, [name], on: fixture).warnings.isEmpty)
    _ = try await fixture.engine.submit(
      JobRequest(open, [Update(name)]), by: EngineFixture.ops)
    let plan = try await plan(asked, [name, "other"], on: fixture)
    #expect(plan.warnings.count == 1)
    #expect(plan.warnings.first?.message.hasPrefix("\(name) \(words)") == true)
    #expect(plan.warnings.first?.message.contains("ask again when that is over") == true)
  }

  @Test func `is not warned of one that is held or comes after it`() async throws {
    let fixture = try await fixture()
    func submit(_ request: JobRequest) async throws -> JobID {
      try await fixture.engine.submit(request, by: EngineFixture.ops).id
    }
    _ = try await submit(JobRequest(.install, [Update("other")]))
    let id = try await submit(JobRequest(.remove, [Update("there")]))
    #expect(try await plan(.install, ["there"], on: fixture).warnings.count == 1)
    var request = JobRequest(.install, [Update("there")])
    request.options.priority = 1
    #expect(try await fixture.backend.plan(request).warnings.isEmpty)
    try await fixture.engine.suspend(id, by: EngineFixture.ops)
    #expect(try await plan(.install, ["there"], on: fixture).warnings.isEmpty)
  }

  @Test func `is not warned of what they leave as it takes it`() async throws {
    let fixture = try await fixture()
    _ = try await fixture.engine.submit(
      JobRequest(.reinstall, [Update("there")]), by: EngineFixture.ops)
    _ = try await fixture.engine.submit(
      JobRequest(.install, [Update("other")]), by: EngineFixture.ops)
    #expect(try await plan(.install, ["there"], on: fixture).warnings.isEmpty)
    #expect(try await plan(.remove, ["absent"], on: fixture).warnings.isEmpty)
  }
}

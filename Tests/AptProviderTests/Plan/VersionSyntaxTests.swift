import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `Versions that apt takes and dpkg does not` {
  private func repository(_ version: String) async throws -> PackageRepository {
    let repository = try await PackageRepository([PackageFixture("alpha"), PackageFixture("beta")])
    let index = repository.path + "/Packages"
    let text = try #require(TestFolder.text(of: index))
    let stanzas = text.split(separator: "\n\n").map { stanza in
      stanza.contains("Package: beta\n")
        ? String(stanza).replacing("Version: 1.0", with: "Version: \(version)") : String(stanza)
    }
    try TestFolder.write(stanzas.joined(separator: "\n\n") + "\n\n", to: index)
    try await repository.refresh()
    return repository
  }

  @Test(arguments: ["-o", "1-", "a1"]) func `they are refused with dpkg's reason`(
    version: String
  ) async throws {
    let repository = try await repository(version)
    let refusal = try #require(try await repository.refusal(.install, "beta"))
    #expect(refusal.code == .unresolvable && refusal.update == "beta", "\(refusal)")
    #expect(refusal.message.contains("dpkg does not take its version '\(version)'"), "\(refusal)")
    #expect(try await repository.refusal(.install, "alpha") == nil)
  }

  @Test func `what is expected of the jobs ahead is no fault of the database`() async throws {
    let repository = try await repository("-o")
    var pending = PendingWork()
    pending.append(
      JobPlan(
        requests: [],
        steps: [
          PlannedUpdate(name: "beta", architecture: "all", action: .install, toVersion: "-o")
        ]))
    let thrown = await #expect(throws: InstallationError.self) {
      try await repository.planner().plan(
        JobRequest(.install, [Update("alpha")]), behind: pending)
    }
    let error = try #require(thrown)
    #expect(error.code == .busy && error.message.contains("jobs ahead"), "\(error)")
    #expect(error.hint?.contains("status-old") == false)
  }
}

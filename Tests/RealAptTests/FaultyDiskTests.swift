import InstallJobs
import JobClient
import Support
import Testing

@Suite(
  .timeLimit(.minutes(10)), .endsOrAborts, .serialized,
  .enabled("needs a C compiler") { FaultyDisk.canBeMade })
struct `A state folder whose disk reports errors` {
  private func run(
    _ body: @Sendable (RealEngine, FaultyDisk) async throws -> Void
  ) async throws {
    let disk = try await FaultyDisk.build()
    try await RealEngine.run(
      [
        .held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
        PackageFixture("delta"),
      ], variables: disk.variables
    ) { engine in try await body(engine, disk) }
  }

  private func journalFindings(_ engine: RealEngine) async throws -> [Checkup.Finding] {
    let client = try await EngineConnection.connect(to: engine.socket, clientName: "test")
    return try await EngineBackend(client).checkup().findings.filter { $0.subject == .journal }
  }

  @Test(arguments: [FaultyDisk.Fault.write, .sync])
  func `a job works on, nothing is told that is not on record, and its result is true`(
    fault: FaultyDisk.Fault
  ) async throws {
    try await run { engine, disk in
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try disk.begin(fault)
      let refusal = await #expect(throws: InstallationError.self) {
        try await engine.begin("delta")
      }
      #expect(refusal?.code == .journal, "\(String(describing: refusal))")
      #expect(
        refusal?.message.contains("the disk reports an error") == true,
        "\(String(describing: refusal))")
      try engine.release("p1")
      try await eventually("the pause") {
        let pause = try await engine.session.status().queue.pause
        return pause?.cause == .journal && pause?.detail?.contains("error") == true
      }
      try await eventually("the end of the work") {
        TestFolder.exists(engine.repository.folder.path("state/jobs/\(job.id)/exit"))
      }
      #expect(await !job.isCompleted)
      disk.end(fault)
      let result = try await job.result
      #expect(result.code == .succeeded, "\(result)")
      #expect(try await engine.state("q2") == "installed 1.0")
      #expect(try await engine.install("delta").code == .succeeded)
      #expect(try await engine.state("delta") == "installed 1.0")
      #expect(try await engine.session.status().queue.pause == nil)
      #expect(try await journalFindings(engine).map(\.verdict) == [.sound])
    }
  }

  @Test func `a disk that does not read is told, and nothing is taken for damaged afterwards`()
    async throws
  {
    try await run { engine, disk in
      #expect(try await engine.install("delta").code == .succeeded)
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try disk.begin(.read)
      let client = try await EngineConnection.connect(to: engine.socket, clientName: "test")
      let refusal = try await eventually("a read that fails") { () -> InstallationError? in
        do throws(InstallationError) {
          _ = try await EngineBackend(client).history(limit: 10)
          return nil
        } catch {
          return error
        }
      }
      #expect(refusal.code == .journal && refusal.message.contains("the disk reports an error"))
      let findings = try await journalFindings(engine)
      #expect(findings.map(\.verdict) == [.fault])
      #expect(findings.allSatisfy { $0.message.contains("the disk reports an error") })
      disk.end(.read)
      try engine.release("p1")
      #expect(try await job.result.code == .succeeded)
      #expect(try await engine.install("delta").code == .succeeded)
      #expect(try await engine.session.status().queue.pause == nil)
      #expect(try await journalFindings(engine).map(\.verdict) == [.sound])
    }
  }
}

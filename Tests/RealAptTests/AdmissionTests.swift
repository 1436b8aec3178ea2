import InstallJobs
import JobClient
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized)
struct `What an engine with apt takes on` {
  private func refusal(_ body: () async throws -> Void) async -> InstallationError.Code? {
    await #expect(throws: InstallationError.self) { try await body() }?.code
  }

  @Test(arguments: [true, false])
  func `A16, A38: a pending restart blocks only where the policy is strict`(
    isStrict: Bool
  ) async throws {
    let settings = "[engine]\nrequiresRebootFirst = \(isStrict)\n"
    try await RealEngine.run(settings: settings) { engine in
      let installer = try engine.session.makeInstaller()
      #expect(try await !installer.requiresRebootBeforeInstallation)
      #expect(try await engine.install("kernelish").requiresReboot)
      #expect(try await installer.requiresRebootBeforeInstallation == isStrict)
      guard isStrict else {
        #expect(try await engine.install("alpha").code == .succeeded)
        return
      }
      let error = await #expect(throws: InstallationError.self) {
        _ = try await engine.install("alpha")
      }
      #expect(error?.code == .rebootRequiredFirst)
      #expect(error?.message.contains("kernelish") == true)
      #expect(try await engine.state("alpha") == "absent")
      var options = InstallationOptions()
      options.ignoresPendingReboot = true
      #expect(try await engine.install("alpha", options: options).code == .succeeded)
    }
  }

  @Test func `A17, A25: what must be alone and what must stay is refused, nothing is changed`()
    async throws
  {
    try await RealEngine.run { engine in
      let installer = try engine.session.makeInstaller()
      let conflict = await refusal { _ = try await engine.install("libc6", "alpha") }
      #expect(conflict == .exclusiveConflict)
      #expect(try await engine.session.jobs().isEmpty)
      #expect(try await engine.state("alpha") == "absent")
      #expect(try await engine.install("ess").code == .succeeded)
      let essential = await refusal { _ = try await installer.uninstall([Update("ess")]) }
      #expect(essential == .notUninstallable)
      #expect(try await engine.state("ess") == "installed 1.0")
      #expect(try await engine.session.jobs().count == 1)
    }
  }

  @Test func `a second engine on the same root is refused and told of the first`() async throws {
    try await RealEngine.run([PackageFixture("alpha")]) { engine in
      let state = engine.repository.folder.path("second")
      let second = try await TestUser.run([
        RealEngine.executable, "engine", "--root", engine.root + "/../root", "--state", state,
        "--socket", state + ".sock",
      ])
      #expect(second.status == 8)
      let pid = try await engine.session.status().engine.pid
      let first = engine.repository.folder.path("state")
      #expect(second.errors.contains("pid \(pid), state folder \(first)"), "\(second.errors)")
      #expect(!TestFolder.exists(state))
      #expect(try await engine.install("alpha").code == .succeeded)
    }
  }

  @Test func `C22: states and phases come in their order, each package's and the job's`()
    async throws
  {
    let chain = [
      PackageFixture.held("p1"), PackageFixture("q2", fields: ["Pre-Depends": "p1"]),
    ]
    try await RealEngine.run(chain) { engine in
      let watcher = try await EngineConnection.connect(
        to: engine.socket, clientName: "watcher", isReadOnly: true)
      let events = try await watcher.subscribe()
      let job = try await engine.begin("q2")
      try await engine.untilHeld("p1")
      try engine.release("p1")
      var states: [JobState] = []
      var phases: [String: [UpdatePhase]] = [:]
      var order: [String] = []
      loop: for try await case .event(let event) in events where event.job == job.id {
        switch event.payload {
        case .submitted(let snapshot): states.append(snapshot.state)
        case .state(let change) where states.last != change.state: states.append(change.state)
        case .update(_, let status) where phases[status.name]?.last != status.phase:
          phases[status.name, default: []].append(status.phase)
          order.append("\(status.name) \(status.phase)")
        case .completed(let outcome):
          states.append(outcome.state)
          break loop
        default: break
        }
      }
      #expect(states == [.queued, .downloading, .installing, .finalizing, .completed])
      let whole: [UpdatePhase] = [.downloaded, .unpacking, .unpacked, .configuring, .done]
      for name in ["p1", "q2"] {
        let seen = phases[name] ?? []
        #expect(seen.filter { $0 != .downloading } == whole, "\(name): \(seen)")
        #expect(seen == seen.sorted())
      }
      // The first is whole before the second is begun.
      let done = order.firstIndex(of: "p1 done") ?? .max
      #expect(done < order.firstIndex(of: "q2 unpacking") ?? 0)
      await watcher.close()
    }
  }
}

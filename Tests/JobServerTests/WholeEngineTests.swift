import Glibc
import InstallJobs
import JobClient
import JobEngine
import JobJournal
import JobServer
import JobWire
import Logging
import SimulatedProvider
import Support
import Testing

/// The real engine on a scripted package system, behind a socket.
@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `The engine behind its socket` {
  /// The engine that is served.
  private let engine = Locked<Engine?>(nil)

  private func serve(
    _ scenario: Scenario, _ body: (String, Journal) async throws -> Void
  ) async throws {
    let folder = try #require(ScratchFolder.current)
    let journal = try Journal.open(at: folder.path("journal.sqlite"))
    let engine = Engine(
      provider: SimulatedProvider(playing: scenario), journal: journal,
      settings: EngineSettings(stateFolder: folder.path, version: "test"))
    try await engine.start()
    self.engine.change { $0 = engine }
    let path = folder.path("engine.sock")
    let server = try await JobServer.listen(
      at: path, engine: engine, policy: .own(everybodyMayLook: false),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let serving = Task { try await server.run() }
    do {
      try await body(path, journal)
    } catch {
      serving.cancel()
      throw error
    }
    serving.cancel()
    try await serving.value
  }

  @Test func `an installation begun over the socket runs to its verified end`() async throws {
    try await serve(.instant(3)) { path, journal in
      let session = try await UpdateSession.connect(to: path, clientName: "acme")
      let result = try await session.makeInstaller().install(["p1", "p2"].map { Update($0) })
      #expect(result.code == .succeeded)
      #expect(result.updateResults.map(\.name) == ["p1", "p2"])
      let job = try #require(try await session.jobs().first)
      #expect(job.state == .completed)
      #expect(job.options.clientName == "acme")
      #expect(job.requestedBy.uid == geteuid())
      let audited = try journal.auditEntries(limit: 10)
      #expect(audited.map(\.act) == ["submit"])
      #expect(audited.map(\.pid) == [getpid()])
      #expect(audited.map(\.outcome) == ["permitted"])
    }
  }

  @Test func `S3, S8: information and searches are the same over the socket`() async throws {
    try await serve(.instant(3)) { path, journal in
      let session = try await UpdateSession.connect(to: path, clientName: "test")
      let job = try await session.makeInstaller().beginInstallation(of: [Update("p1")])
      _ = try await job.result
      let observer = UpdateSession(
        backend: LocalBackend(
          try #require(engine.value), as: Requester(uid: geteuid(), user: "test")),
        clientName: "here")
      var there = try await session.systemInformation()
      let here = try await observer.systemInformation()
      #expect(there.protocolVersion == WireProtocol.version)
      there.protocolVersion = nil
      #expect(there == here)
      #expect(there.lastSuccessfulInstallation == (try await job.snapshot.endedAt?.date))
      let criteria = UpdateCriteria(isInstalled: true)
      let found = try await session.updates(matching: criteria)
      #expect(found.updates.map(\.name) == ["p1"])
      #expect(try await observer.updates(matching: criteria) == found)
      let error = await #expect(throws: InstallationError.self) {
        try await session.updates(matching: UpdateCriteria(limit: 0))
      }
      #expect(error?.code == .invalidArgument)
      await session.close()
    }
  }

  @Test func `a hundred lookups of one session at once are all answered`() async throws {
    try await serve(.instant(3)) { path, _ in
      for isReadOnly in [false, true] {
        let session = try await UpdateSession.connect(
          to: path, clientName: "test", isReadOnly: isReadOnly)
        try await withThrowingTaskGroup { group in
          for _ in 1...100 {
            group.addTask { try await session.updates(matching: UpdateCriteria()).updates.count }
          }
          for try await count in group { #expect(count == 3) }
        }
        await session.close()
      }
    }
  }

  @Test func `what a follower over the socket ends with is what the engine has`() async throws {
    try await serve(.instant(20)) { path, journal in
      let client = try await EngineConnection.connect(to: path, clientName: "test")
      let backend = EngineBackend(client)
      let updates = (1...20).map { Update("p\($0)") }
      let job = try await backend.submit(JobRequest(.install, updates))
      var last: JobSnapshot?
      for try await snapshot in await backend.snapshots(of: job.id) {
        if let last { #expect(snapshot.percentComplete >= last.percentComplete) }
        last = snapshot
      }
      #expect(last?.state == .completed)
      #expect(last?.percentComplete == 100)
      let stored = try journal.job(job.id, withPlan: true)
      #expect(last?.updates == stored.updates)
      #expect(last?.plan == stored.plan)
      await client.close()
    }
  }

  @Test func `forty jobs of one session are followed at once, each to its own end`() async throws {
    try await serve(.instant(40)) { path, _ in
      let client = try await EngineConnection.connect(to: path, clientName: "test")
      let session = UpdateSession(backend: EngineBackend(client), clientName: "test")
      let installer = try session.makeInstaller()
      let completed = Locked<[JobID]>([])
      _ = try await session.pauseQueue()
      var jobs: [InstallationJob] = []
      for number in 1...40 {
        jobs.append(
          try await installer.beginInstallation(
            of: [Update("p\(number)")],
            onCompletion: { job in completed.change { $0.append(job.id) } }))
      }
      _ = try await session.resumeQueue()
      for (index, job) in jobs.enumerated() {
        let result = try await job.result
        #expect(result.code == .succeeded)
        #expect(result.updateResults.map(\.name) == ["p\(index + 1)"])
        // Waits until the callback has returned.
        try await job.cleanUp()
      }
      #expect(completed.value.sorted() == jobs.map(\.id).sorted())
      #expect(Set(completed.value).count == 40)
      await client.close()
    }
  }

  @Test func `a job that is not there is refused to who follows it, and to nobody else`()
    async throws
  {
    try await serve(.instant(1)) { path, _ in
      let client = try await EngineConnection.connect(to: path, clientName: "test")
      let backend = EngineBackend(client)
      let job = try await backend.submit(JobRequest(.install, [Update("p1")]))
      // All of them begin to be followed before the engine answers for the first.
      var followed: [JobSnapshots] = []
      for id in [JobID(7), job.id, JobID(8), job.id] {
        followed.append(await backend.snapshots(of: id))
      }
      for (index, snapshots) in followed.enumerated() {
        do throws(InstallationError) {
          var last: JobSnapshot?
          for try await snapshot in snapshots { last = snapshot }
          #expect(index % 2 == 1 && last?.state == .completed)
        } catch {
          #expect(index % 2 == 0 && error.code == .unknownJob)
        }
      }
      await client.close()
    }
  }

  @Test func `the numbered events of many jobs arrive without a gap, live and from the journal`()
    async throws
  {
    try await serve(.instant(5)) { path, journal in
      let client = try await EngineConnection.connect(to: path, clientName: "test")
      let backend = EngineBackend(client)
      let live = try await client.subscribe()
      var jobs: [JobID] = []
      for number in 1...5 {
        jobs.append(try await backend.submit(JobRequest(.install, [Update("p\(number)")])).id)
      }
      for job in jobs {
        for try await _ in await backend.snapshots(of: job) {}
      }
      let last = journal.lastSeq
      func numbers(_ events: EngineEvents) async throws -> [Int] {
        var found: [Int] = []
        for try await element in events {
          guard case .event(let event) = element, event.payload.isDurable else { continue }
          found.append(event.seq)
          if event.seq >= last { break }
        }
        return found
      }
      let seen = try await numbers(live)
      let first = try #require(seen.first)
      #expect(seen == Array(first...last))
      let again = try await client.subscribe(
        SubscribeRequest(from: 0, epoch: client.hello.epoch))
      #expect(try await numbers(again) == Array(1...last))
      await client.close()
    }
  }
}

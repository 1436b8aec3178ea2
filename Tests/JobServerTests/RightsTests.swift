import Glibc
import InstallJobs
import JobClient
import JobEngine
import JobServer
import JobTransport
import JobWire
import Support
import Synchronization
import Testing

@Suite(.scratchFolder, .timeLimit(.minutes(10)), .endsOrAborts)
struct `Who may look and who may act` {
  private static let strangers = AccessPolicy(
    engineUID: geteuid(), group: nil, everybodyMayLook: true, allowsOwner: false)

  @Test(
    arguments: [
      (0, true, .act), (500, false, .act), (7, true, .act), (8, true, .look),
      (8, false, nil), (7, false, .act),
    ] as [(UInt32, Bool, PeerRights?)])
  func `A40: rights come from the peer's identity`(
    uid: UInt32, everybodyMayLook: Bool, rights: PeerRights?
  ) async {
    let policy = AccessPolicy(
      engineUID: 500, group: "fettle", everybodyMayLook: everybodyMayLook,
      isMember: { uid, group in uid == 7 && group == "fettle" })
    #expect(await policy.rights(of: PeerCredentials(pid: 1, uid: uid, gid: 0)) == rights)
  }

  @Test func `A40: membership is looked up at each act, not once`() async {
    let isMember = Mutex(false)
    let policy = AccessPolicy(
      engineUID: 500, group: "fettle", everybodyMayLook: true, lifetime: .zero,
      isMember: { _, _ in isMember.withLock { $0 } })
    let peer = PeerCredentials(pid: 1, uid: 9, gid: 9)
    #expect(await policy.rights(of: peer) == .look)
    isMember.withLock { $0 = true }
    #expect(await policy.rights(of: peer) == .act)
  }

  @Test func `a user's own engine has no group that could act`() async {
    let policy = AccessPolicy.own(everybodyMayLook: false)
    #expect((policy.group == "fettle") == (geteuid() == 0))
    #expect(await policy.rights(of: PeerCredentials(pid: 1, uid: 64_999, gid: 0)) == nil)
  }

  @Test func `names and groups are the system's`() {
    #expect(Accounts.name(of: 0) == "root")
    #expect(Accounts.name(of: 64_999) == "64999")
    #expect(Accounts.isMember(0, of: "root"))
    #expect(!Accounts.isMember(0, of: "no-such-group-here"))
    #expect(!Accounts.isMember(64_999, of: "root"))
    #expect(Accounts.command(of: getpid())?.isEmpty == false)
    #expect(Accounts.command(of: -1) == nil)
  }

  @Test func `A40: who may only look can list, and is refused when acting`() async throws {
    try await ServedEngine.run(policy: Self.strangers) { served in
      let client = try await served.connect()
      #expect(client.hello.rights == .look)
      let backend = EngineBackend(client)
      #expect(try await backend.jobs(in: nil).isEmpty)
      let session = UpdateSession(backend: backend, clientName: "test")
      #expect(try await session.jobs().isEmpty)
      let error = await #expect(throws: InstallationError.self) {
        try await backend.submit(JobRequest(.install, [Update("hello")]))
      }
      #expect(error?.code == .notPermitted)
      #expect(await served.engine.requests.isEmpty)
      #expect(await served.engine.record.map(\.outcome) == ["notPermitted"])
      // What the record has no room for is refused for the same reason.
      await served.engine.breakAudit()
      let other = await #expect(throws: InstallationError.self) {
        try await backend.requestAbort(of: JobID(1))
      }
      #expect(other?.code == .notPermitted)
      #expect(await served.engine.requests.isEmpty)
      await client.close()
    }
  }

  @Test func `A40: who may not even look gets nothing but the refusal`() async throws {
    let policy = AccessPolicy(
      engineUID: geteuid(), group: nil, everybodyMayLook: false, allowsOwner: false)
    try await ServedEngine.run(policy: policy) { served in
      let error = await #expect(throws: InstallationError.self) { try await served.connect() }
      #expect(error?.code == .notPermitted)
      try await eventually { await served.engine.record.map(\.act) == ["hello"] }
      #expect(await served.engine.acts.allSatisfy(\.isUnprivileged))
    }
  }

  @Test func `A4: a read-only session makes no installer`() async throws {
    try await ServedEngine.run { served in
      let session = try await UpdateSession.connect(
        to: served.path, clientName: "test", isReadOnly: true)
      #expect(session.isReadOnly)
      let error = #expect(throws: InstallationError.self) { try session.makeInstaller() }
      #expect(error?.code == .notPermitted)
      #expect(try await session.jobs().isEmpty)
    }
  }

  @Test(arguments: WireRequests.types.filter { $0.kind == .act }.map { $0.method })
  func `A41: every act is refused on a raw read-only connection, and on record`(
    method: String
  ) async throws {
    try await ServedEngine.run { served in
      let socket = try await served.raw(RawLines.readOnlyHello)
      let parameters =
        switch method {
        case "submit": #"{"operation":"install","updates":[{"name":"hello"}]}"#
        case "upload":
          #"{"archive":{"fileName":"a","sha256":"","size":0},"offset":0,"bytes":""}"#
        case "mark": #"{"mark":"hold","updates":[{"name":"hello"}]}"#
        case "move": #"{"job":1,"to":"first"}"#
        default: #"{"job":1}"#
        }
      // A second hello does not give the rights back.
      _ = await socket.ask(RawLines.hello)
      let answer = try #require(
        await socket.ask(RawLines.request(1, method, parameters)))
      #expect(answer.contains("\"notPermitted\""))
      #expect(await served.engine.requests.isEmpty)
      #expect(await served.engine.refreshers.isEmpty)
      let isForAll = [
        "submit", "upload", "mark", "refresh", "pauseQueue", "resumeQueue", "yield",
      ].contains(method)
      let job = isForAll ? nil : 1
      #expect(
        await served.engine.record == [
          ScriptedEngine.Entry(
            act: method, job: job, uid: geteuid(), pid: getpid(),
            command: Accounts.command(of: getpid()), outcome: "notPermitted")
        ])
    }
  }

  @Test func `A40: acts are on record with who did it, before they are done`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let job = try await backend.submit(JobRequest(.install, [Update("hello")]))
      #expect(job.requestedBy.uid == geteuid())
      _ = try await backend.requestAbort(of: job.id)
      await #expect(throws: InstallationError.self) { try await backend.resume(job.id) }
      #expect(
        await served.engine.record.map { "\($0.act) \($0.job ?? 0) \($0.outcome)" } == [
          "submit 0 permitted", "abort 1 permitted", "resume 1 permitted",
          "resume 1 cannotResume",
        ])
      #expect(await served.engine.record.allSatisfy { $0.uid == geteuid() && $0.pid == getpid() })
      await client.close()
    }
  }

  @Test(arguments: [true, false])
  func `R3: who loses the right to act sees the job to its end, and is refused an abort`(
    everybodyMayLook: Bool
  ) async throws {
    let isMember = Locked(true)
    let policy = AccessPolicy(
      engineUID: geteuid(), group: "fettle", everybodyMayLook: everybodyMayLook,
      allowsOwner: false, lifetime: .zero, isMember: { _, _ in isMember.value })
    try await ServedEngine.run(policy: policy) { served in
      let session = try await UpdateSession.connect(to: served.path, clientName: "test")
      let installer = try session.makeInstaller()
      let seen = Locked<[JobState]>([])
      let job = try await installer.beginInstallation(
        of: [Update("a")], onProgress: { _, progress in seen.change { $0.append(progress.state) } })
      isMember.change { $0 = false }
      await served.engine.play(
        job.id, .state(JobStateChange(.installing, abortPreview: .accepted(stopsAfter: "a"))))
      try await eventually { seen.value.last == .installing }
      let abort = await #expect(throws: InstallationError.self) { try await job.requestAbort() }
      #expect(abort?.code == .notPermitted)
      let begin = await #expect(throws: InstallationError.self) {
        try await installer.beginInstallation(of: [Update("b")])
      }
      #expect(begin?.code == .notPermitted)
      isMember.change { $0 = true }
      #expect(try await job.requestAbort().stopsAfter == "a")
      isMember.change { $0 = false }
      await served.engine.play(
        job.id,
        .completed(
          JobOutcome(
            state: .completed, resultCode: .succeeded, percentComplete: 100, error: nil,
            requiresReboot: false, rebootReasons: [], exitStatus: 0, repairs: [],
            updates: try await served.engine.job(job.id).updates)))
      #expect(try await job.result.code == .succeeded)
      #expect(await served.engine.requests.count == 1)
      await session.close()
    }
  }

  @Test func `A40: pausing the queue and moving a job are acts on record`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let job = try await backend.submit(JobRequest(.install, [Update("hello")]))
      let standing = try await backend.pauseQueue()
      #expect(standing.queue.pause?.by?.uid == geteuid())
      #expect(try await backend.move(job.id, to: .priority(7)).options.priority == 7)
      #expect(try await !backend.resumeQueue().queue.paused)
      await #expect(throws: InstallationError.self) { _ = try await backend.resumeQueue() }
      #expect(
        await served.engine.record.map { "\($0.act) \($0.job ?? 0) \($0.outcome)" } == [
          "submit 0 permitted", "pauseQueue 0 permitted", "move 1 permitted",
          "resumeQueue 0 permitted", "resumeQueue 0 permitted", "resumeQueue 0 cannotResume",
        ])
      await client.close()
    }
  }

  @Test func `A40: whoever may act has the engine fetch the index, in his name and on record`()
    async throws
  {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      try await EngineBackend(client).refresh()
      #expect(await served.engine.refreshers.map(\.uid) == [geteuid()])
      #expect(await served.engine.record.map { "\($0.act) \($0.outcome)" } == ["refresh permitted"])
      await client.close()
    }
  }

  @Test func `an act that cannot be put on record is not done`() async throws {
    try await ServedEngine.run { served in
      await served.engine.breakAudit()
      let client = try await served.connect()
      let error = await #expect(throws: InstallationError.self) {
        try await EngineBackend(client).submit(JobRequest(.install, [Update("hello")]))
      }
      #expect(error?.code == .journal)
      #expect(await served.engine.requests.isEmpty)
      await client.close()
    }
  }

  @Test func `A41: the record says what was asked for, and which job that made`() async throws {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let backend = EngineBackend(client)
      let names = (1...40).map { "p\($0)" }
      let job = try await backend.submit(JobRequest(.install, names.map { Update($0) }))
      await #expect(throws: InstallationError.self) {
        _ = try await backend.submit(JobRequest(.remove, []))
      }
      let rows = try await backend.audits(limit: 10)
      #expect(rows.map(\.outcome).reversed() == ["permitted", "permitted", "noUpdates"])
      let first = try #require(rows.last)
      #expect(first.act == "submit" && first.job == job.id && first.operation == .install)
      #expect(first.packages == Array(names.prefix(32)) && first.packageCount == 40)
      #expect(rows.first?.operation == .remove && rows.first?.job == nil)
      await client.close()
    }
  }

  @Test func `A40: who may not act is not shown who did what, and that is on record`() async throws
  {
    try await ServedEngine.run(policy: Self.strangers) { served in
      let client = try await served.connect()
      let error = await #expect(throws: InstallationError.self) {
        try await EngineBackend(client).audits(limit: 10)
      }
      #expect(error?.code == .notPermitted)
      #expect(await served.engine.acts.map(\.act) == ["audit"])
      #expect(await served.engine.acts.map(\.isUnprivileged) == [true])
      await client.close()
    }
  }

  @Test func `clean up by who may only look is refused at once, not at the end of the job`()
    async throws
  {
    try await ServedEngine.run { served in
      let client = try await served.connect()
      let id = try await EngineBackend(client).submit(JobRequest(.install, [Update("a")])).id
      let looker = try await served.connect(isReadOnly: true)
      let session = UpdateSession(
        backend: EngineBackend(looker), clientName: "test", isReadOnly: true)
      let job = try await session.job(id)
      for _ in 1...2 {
        let error = await #expect(throws: InstallationError.self) { try await job.cleanUp() }
        #expect(error?.code == .notPermitted)
      }
      let bounded = await #expect(throws: InstallationError.self) {
        try await job.cleanUp(within: .seconds(3600))
      }
      #expect(bounded?.code == .notPermitted)
      #expect(await job.isCompleted == false)
      for client in [client, looker] { await client.close() }
    }
  }
}

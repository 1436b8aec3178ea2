import FoundationEssentials
import InstallJobs
import JobClient
import Monitor
import Support
import Testing

@testable import fettle

@Suite(.scratchFolder, .timeLimit(.minutes(2)), .endsOrAborts)
struct `The monitor's line to its engine` {
  private static let now = Timestamp(milliseconds: 1_767_268_800_000)

  /// An engine by hand: job 3 has events without end, any other has one.
  ///
  /// The first move is answered only when a log is asked for.
  private final class Engine: Sendable {
    /// What it was asked, as `method job`.
    let asked = Locked<[String]>([])
    let mailbox = Mailbox()
    let link: MonitorLink
    private let session: UpdateSession

    init() async throws {
      let path = try #require(ScratchFolder.current).path("engine.sock")
      let listener = try #require(RawSocket.listen(at: path))
      let asked = asked
      Task {
        await onOwnThread {
          guard let socket = listener.accept(), socket.line() != nil else { return }
          socket.send(
            #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
              + #"["events","queue"],"epoch":"x","lastSeq":9,"rights":"act"}}"# + "\n")
          var held: (id: Int, answer: String)?
          while let line = socket.line() {
            guard let asks = try? JSONValue(line), let id = asks["id"]?.number.map({ Int($0) }),
              let method = asks["method"]?.string,
              let job = asks["params"]?["job"]?.number.map({ Int($0) })
            else { continue }
            let isFirstMove = method == "move" && !asked.value.contains { $0.hasPrefix("move") }
            asked.change { $0.append("\(method) \(job)") }
            let after = asks["params"]?["after"]?.number.map { Int($0) } ?? 0
            let answer = Engine.answer(to: method, of: JobID(job), after: after)
            if isFirstMove {
              held = (id, answer)
              continue
            }
            socket.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(answer)}"# + "\n")
            if method == "log", let late = held {
              socket.send(#"{"jsonrpc":"2.0","id":\#(late.id),"result":\#(late.answer)}"# + "\n")
              held = nil
            }
          }
        }
      }
      session = try await UpdateSession.connect(
        to: path, clientName: "test", reconnectingFor: .zero)
      link = MonitorLink(session, mailbox: mailbox) { () async throws(InstallationError) in
        throw InstallationError(.engineUnreachable, "once only")
      }
    }

    func close() async { await session.close() }

    private static func answer(to method: String, of job: JobID, after: Int) -> String {
      switch method {
      case "log": return #"{"offset":0,"text":"","next":0,"length":0}"#
      case "abort": return text(AbortDisposition.alreadyCompleted)
      case "events":
        let event = JobEvent(
          seq: after + 1, at: now, job: job,
          payload: .cleanedUp(by: Requester(uid: 0, user: "root")))
        let isWhole = job != JobID(3)
        return #"{"events":[\#(text(event))],"next":\#(after + 1),"isWhole":\#(isWhole)}"#
      default:
        var snapshot = JobSnapshot(
          id: job, request: JobRequest(.install, [Update("a")]),
          plan: JobPlan(requests: [], steps: []),
          requestedBy: Requester(uid: 0, user: "root"), provider: "apt", submittedAt: now)
        snapshot.state = .completed
        return text(snapshot)
      }
    }

    private static func text(_ value: some Encodable) -> String {
      (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
  }

  @Test func `an engine that does not answer an abort is asked for its status until it does`()
    async throws
  {
    let path = try #require(ScratchFolder.current).path("silent.sock")
    let listener = try #require(RawSocket.listen(at: path))
    let status = EngineStatus(
      engine: .init(pid: 1, version: "1", startedAt: Self.now, root: "/r", provider: "apt"),
      queue: .init(running: 0, queued: 0, paused: false), lock: nil, runningJob: nil,
      requiresReboot: false, rebootReasons: [], seq: 9)
    let result = String(decoding: try JSONEncoder().encode(status), as: UTF8.self)
    Task {
      await onOwnThread {
        guard let socket = listener.accept(), socket.line() != nil else { return }
        socket.send(
          #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
            + #"[],"epoch":"x","lastSeq":9,"rights":"act"}}"# + "\n")
        var asked = 0
        while let line = socket.line() {
          guard let asks = try? JSONValue(line), let id = asks["id"]?.number.map({ Int($0) }),
            asks["method"]?.string == "status"
          else { continue }
          asked += 1
          guard asked > 2 else { continue }
          socket.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"# + "\n")
        }
      }
    }
    var timeouts = RequestTimeouts()
    timeouts.silence = .milliseconds(50)
    let connection = try await EngineConnection.connect(
      to: path, clientName: "test", timeouts: timeouts)
    let mailbox = Mailbox()
    let session = UpdateSession(backend: EngineBackend(connection), clientName: "test")
    let link = MonitorLink(session, mailbox: mailbox) { () async throws(InstallationError) in
      throw InstallationError(.engineUnreachable, "once only")
    }
    await link.perform(.requestAbort([JobID(4)]))
    var news: [MonitorEvent] = []
    try await eventually("a sign of life") {
      news += mailbox.removeAll()
      return news.contains(.engine(status))
    }
    let failures = news.compactMap { event in
      if case .failed(let error, let job, _) = event { (error.code, job) } else { nil }
    }
    #expect(failures.count == 1)
    #expect(failures.first?.0 == .timedOut && failures.first?.1 == JobID(4))
    await connection.close()
  }

  @Test func `an abort is not sent behind orders for hundreds of other jobs`() async throws {
    let engine = try await Engine()
    let (wishes, wish) = AsyncStream.makeStream(of: Intent.self)
    let asking = Task { [link = engine.link] in await link.perform(wishes) }
    for number in 1...300 { wish.yield(.move(JobID(number), .first)) }
    try await eventually("the first move") { !engine.asked.value.isEmpty }
    wish.yield(.requestAbort([JobID(200), JobID(900)]))
    // What answers the first move; by then the abort waits.
    wish.yield(.fetchRecordedLog(RecordingRequest(JobID(1), number: 1), from: 0))
    wish.finish()
    await asking.value
    let orders = engine.asked.value.filter { !$0.hasPrefix("log") }
    #expect(orders.prefix(4) == ["move 1", "abort 200", "abort 900", "move 2"])
    #expect(orders.count == 301 && orders.last == "move 300")
    await engine.close()
  }

  @Test func `a recording is read on only until another one is asked for, or none is wanted`()
    async throws
  {
    let engine = try await Engine()
    let (wishes, wish) = AsyncStream.makeStream(of: Intent.self)
    let asking = Task { [link = engine.link] in await link.perform(wishes) }
    let requests = (1...3).map { RecordingRequest(JobID($0 == 2 ? 4 : 3), number: $0) }
    var news: [ReplayNews] = []
    func take() {
      for case .replay(let new) in engine.mailbox.removeAll() { news.append(new) }
    }
    func isTold(_ request: RecordingRequest) -> Bool {
      news.contains { if case .events(request, _, _) = $0 { true } else { false } }
    }
    func pages(of job: Int) -> Int { engine.asked.value.count { $0 == "events \(job)" } }
    /// The pages of job 3 that are asked for while another thing is asked many times.
    func goesOn() async -> Bool {
      let before = pages(of: 3)
      for _ in 0..<50 {
        await engine.link.perform(.fetchRecordedLog(requests[1], from: 0))
        take()
      }
      return pages(of: 3) > before + 1
    }
    wish.yield(.fetchRecording(requests[0]))
    try await eventually("the first") {
      take()
      return isTold(requests[0])
    }
    #expect(await goesOn(), "it has no end")
    wish.yield(.fetchRecording(requests[1]))
    try await eventually("the end of the second") {
      take()
      return news.contains(.end(requests[1]))
    }
    #expect(await !goesOn())
    wish.yield(.fetchRecording(requests[2]))
    try await eventually("the third") {
      take()
      return isTold(requests[2])
    }
    wish.yield(.dropRecording(requests[2]))
    wish.yield(.fetchRecordedLog(requests[2], from: 77))
    try await eventually("what was asked behind the drop") {
      take()
      return news.contains(.log(requests[2], asked: 77, offset: 0, text: ""))
    }
    #expect(await !goesOn())
    wish.finish()
    await asking.value
    #expect(!news.contains(.end(requests[0])) && !news.contains(.end(requests[2])))
    await engine.close()
  }
}

extension JSONValue {
  fileprivate var number: Double? { if case .number(let value) = self { value } else { nil } }
}

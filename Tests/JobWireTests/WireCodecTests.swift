import InstallJobs
import JobWire
import Testing

@Suite struct `Reading requests` {
  private let codec = WireCodec()

  private func read(_ line: String) -> IncomingRequest { codec.request(Array(line.utf8)) }

  @Test(arguments: [
    ("hello", -32700), ("{", -32700), ("\u{FEFF}", -32700), ("{\"id\":1,}x", -32700),
    ("[]", -32600), ("[{\"jsonrpc\":\"2.0\"}]", -32600), ("7", -32600), ("null", -32600),
    ("\"x\"", -32600), ("{}", -32600),
    (#"{"jsonrpc":"1.0","id":1,"method":"jobs"}"#, -32600),
    (#"{"id":1,"method":"jobs"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
    (#"{"jsonrpc":"2.0","id":{},"method":"jobs"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"jobs"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"nosuch"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"Jobs"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"job"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"job","params":[1]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"job","params":{"job":"1"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"job","params":{"job":1e99}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"submit","params":{"operation":"explode"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"jobs","params":{"states":["nosuch"]}}"#, -32602),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"upload","params":{"archive":{"fileName":"a","sha256":"","#
        + #""size":1},"offset":0,"bytes":"!!"}}"#, -32602
    ),
  ])
  func `what is no request is answered with its JSON-RPC number`(line: String, code: Int) throws {
    let fault = try #require(throws: WireFault.self) { try read(line).body.get() }
    #expect(fault.code == code)
  }

  @Test func `bytes that are not UTF-8 and nesting without end are refused, not repaired`() {
    let broken = Array(#"{"jsonrpc":"2.0","id":1,"method":"job"#.utf8) + [0xFF] + Array("\"}".utf8)
    #expect(throws: WireFault.notJSON) { try codec.request(broken).body.get() }
    #expect(throws: WireFault.self) {
      try read(String(repeating: "[", count: 1 << 20)).body.get()
    }
    #expect(throws: WireFault.self) {
      try read(String(repeating: "{\"a\":", count: 100_000)).body.get()
    }
  }

  @Test(arguments: [
    (
      #"{"jsonrpc":"2.0","id":7,"method":"status"}"#, RequestID.number(7),
      StatusRequest() as any WireRequest
    ),
    (
      #"{"method":"job","params":{"job":3,"later":true},"id":"x","jsonrpc":"2.0","extra":[1]}"#,
      .text("x"), SingleSnapshotRequest(JobID(3))
    ),
    (#"{"jsonrpc":"2.0","id":1,"method":"jobs"}"#, .number(1), JobsRequest()),
    (#"{"jsonrpc":"2.0","id":1,"method":"history"}"#, .number(1), HistoryRequest()),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"from":5}}"#, .number(1),
      SubscribeRequest(from: 5)
    ),
  ])
  func `a request is read, fields without a meaning are passed over`(
    line: String, id: RequestID, request: any WireRequest
  ) throws {
    let incoming = read(line)
    #expect(incoming == IncomingRequest(id: id, body: .success(request)))
  }

  @Test func `what a client leaves out of a job has its default`() throws {
    let line =
      #"{"jsonrpc":"2.0","id":1,"method":"submit","params":{"operation":"install","#
      + #""updates":[{"name":"hello"}],"options":{"comment":"why","priority":5}}}"#
    let submission = try #require(try read(line).body.get() as? SubmitRequest)
    var options = InstallationOptions()
    options.comment = "why"
    options.priority = 5
    #expect(
      submission.parameters.request == JobRequest(.install, [Update("hello")], options: options))
  }

  @Test func `a request without an id asks for no answer`() {
    #expect(read(#"{"jsonrpc":"2.0","method":"status"}"#).isNotification)
  }

  static let requests: [any WireRequest] = [
    HelloRequest(client: "test", readOnly: true),
    PlanRequest(JobRequest(.remove, [Update("a", version: "1")])),
    SubmitRequest(JobRequest(.install, [Update("a", architecture: "amd64")])),
    JobsRequest(states: [.queued, .installing]), SingleSnapshotRequest(JobID(1)),
    SubmittedRequest(JobID(8)),
    HistoryRequest(
      HistoryFilter(
        package: "a", user: "b", since: Timestamp(milliseconds: 1), results: [.interrupted]),
      after: JobID(4), limit: 3),
    AbortRequest(JobID(2)), WithdrawRequest(JobID(2)), CleanUpRequest(JobID(3)),
    SuspendRequest(JobID(4)), ResumeRequest(JobID(5)), PauseQueueRequest(), ResumeQueueRequest(),
    YieldRequest(), MoveRequest(JobID(6), to: .first), MoveRequest(JobID(6), to: .last),
    MoveRequest(JobID(6), to: .priority(-7)),
    UploadRequest(
      archive: LocalArchive(fileName: "a.deb", sha256: "00", size: 3), offset: 0,
      bytes: [0, 10, 255]),
    EventsRequest(JobID(6), after: 10, limit: 20),
    MarkRequest(.auto, [Update("a", architecture: "i386")]), RefreshRequest(), UpdatesRequest(),
    SystemRequest(),
    SearchRequest(
      UpdateCriteria(
        text: "a b", names: ["c"], isInstalled: true, isUpgrade: false, isSecurity: true,
        section: "net", includesAllVersions: true, limit: 3)),
    LogRequest(JobID(6), offset: 10, limit: 20), StatusRequest(), DoctorRequest(),
    SubscribeRequest(from: 1, epoch: "e", jobs: [JobID(1)], window: 5, plans: true),
    UnsubscribeRequest(9), CancelRequest(.text("a")),
    AuditRequest(
      AuditFilter(
        user: "u", since: Timestamp(milliseconds: 1), job: JobID(2), act: "submit",
        outcome: "refused"), before: 7, limit: 3),
  ]

  @Test(arguments: requests)
  func `every request survives the line`(request: any WireRequest) throws {
    let line = try codec.request(OutgoingRequest(id: .number(4), request))
    #expect(!line.contains(0x0A))
    #expect(codec.request(line) == IncomingRequest(id: .number(4), body: .success(request)))
  }

  @Test func `a notification survives the line, and is none with an id`() throws {
    let request = CancelRequest(.number(7))
    let line = try codec.request(OutgoingRequest(notifying: request))
    #expect(
      codec.request(line) == IncomingRequest(id: nil, isNotification: true, body: .success(request))
    )
  }

  @Test(arguments: requests)
  func `A40: a request that names a job names it for the record`(request: any WireRequest) {
    let job = Mirror(reflecting: request).children.compactMap { $0.value as? JobID }.first
    #expect(request is HistoryRequest || request.auditJob == job)
  }

  @Test func `A40: the packages of submissions, uploads and marks are on record, and no others`() {
    let subjects = Self.requests.filter { $0.auditSubject != nil }.map(\.method)
    #expect(subjects == ["submit", "upload", "mark"])
  }

  @Test func `A40, A41: what each request needs`() {
    let methods = { (kind: RequestKind) in
      WireRequests.types.filter { $0.kind == kind }.map { $0.method }.sorted()
    }
    #expect(
      methods(.act) == [
        "abort", "cleanUp", "mark", "move", "pauseQueue", "refresh", "resume", "resumeQueue",
        "submit",
        "suspend", "upload", "withdraw", "yield",
      ])
    #expect(methods(.restrictedView) == ["audit"])
    #expect(methods(.lookup) == ["doctor", "plan", "search", "system", "updates"])
    #expect(
      methods(.longView) == ["events", "history", "job", "jobs", "log", "request", "subscribe"])
    #expect(methods(.view) == ["cancel", "hello", "status", "unsubscribe"])
    #expect(WireRequests.types.filter { $0.kind.needsRightToAct }.count == 14)
  }

  @Test func `a request without parameters is written without any, and reads none`() throws {
    let line = try codec.request(OutgoingRequest(id: .number(4), StatusRequest()))
    #expect(!String(decoding: line, as: UTF8.self).contains("params"))
    for parameters in ["7", "[1]", "null", #"{"a":1}"#] {
      let read = read(#"{"jsonrpc":"2.0","id":4,"method":"status","params":\#(parameters)}"#)
      #expect(read == IncomingRequest(id: .number(4), body: .success(StatusRequest())))
    }
  }

  @Test func `no request is left out of that table`() {
    #expect(Set(Self.requests.map(\.method)) == Set(WireRequests.types.map { $0.method }))
    #expect(Set(WireRequests.types.map { $0.method }).count == WireRequests.types.count)
  }
}

@Suite struct `Reading what an engine says` {
  private let codec = WireCodec()

  private func read(_ line: String) throws -> WireCodec.Incoming {
    try codec.incoming(Array(line.utf8))
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"nosuch","params":{}}"#,
    #"{"jsonrpc":"2.0","method":"event","params":{"subscription":1,"event":{"seq":1,"#
      + #""at":"2026-01-01T00:00:00.000Z","job":1,"type":"levitated"}}}"#,
  ])
  func `a notification or type of event without a name here is passed over`(line: String) throws {
    guard case .notification(.unknown) = try read(line) else {
      Issue.record("not passed over")
      return
    }
  }

  @Test func `the end of a job that cannot be read is an error: it would be waited for for ever`() {
    #expect(throws: (any Error).self) {
      try read(
        #"{"jsonrpc":"2.0","method":"event","params":{"subscription":1,"event":{"seq":1,"#
          + #""at":"2026-01-01T00:00:00.000Z","job":1,"type":"completed","outcome":{}}}}"#)
    }
  }

  @Test(arguments: ["{}", "[]", "HTTP/1.1 400 Bad Request", #"{"jsonrpc":"2.0","id":1}"#])
  func `S4: what an engine would never say is an error`(line: String) {
    #expect(throws: (any Error).self) { try read(line) }
  }

  @Test func `a refusal arrives with code, class and hint`() throws {
    let error = InstallationError(.unknownJob, "there is no job 7", class: .fatal, hint: "look")
    let line = try codec.reply(.number(3), WireFault(error))
    guard case .reply(.number(3), let fault?) = try codec.incoming(line) else {
      Issue.record("not a refusal")
      return
    }
    #expect(fault.installationError == error)
    #expect(fault.code == -32000)
  }

  @Test(arguments: ["plain", "quotes \" and \\ and \u{1F40D} and \u{E9}", "\n\t\u{1}"])
  func `a long message comes in parts that fit and give the message again`(text: String) throws {
    let small = WireCodec(limit: 512)
    let reply = UploadRequest.Reply(update: Update(String(repeating: text, count: 200)))
    let message = try small.reply(.number(1), reply)
    let lines = try small.lines(of: message)
    #expect(lines.count > 1)
    var joined: [UInt8] = []
    for (index, line) in lines.enumerated() {
      #expect(line.count <= 513)
      #expect(line.last == 0x0A)
      guard
        case .notification(.part(let text, let last)) = try small.incoming(Array(line.dropLast()))
      else {
        Issue.record("not a part")
        return
      }
      joined += text.utf8
      #expect(last == (index == lines.count - 1))
    }
    #expect(joined == message)
    #expect(try small.result(UploadRequest.Reply.self, of: joined) == reply)
  }

  @Test(arguments: [Double.infinity, -.infinity, 1.5])
  func `a number that JSON cannot write does not cost the message`(seconds: Double) throws {
    let disposition = AbortDisposition.accepted(stopsAfter: nil, etaSeconds: seconds)
    let line = try codec.reply(.number(1), disposition)
    #expect(try codec.result(AbortDisposition.self, of: line) == disposition)
  }

  @Test(arguments: [0, 1, 12])
  func `a list of jobs is answered whole, whatever the request's id looks like`(count: Int) throws {
    var chance = Chance(7)
    let jobs = (0..<count).map { _ in chance.job() }
    let id = RequestID.text(#""result":[] and "result":[]"#)
    let line = try codec.reply(id, jobs)
    #expect(try codec.result([JobSnapshot].self, of: line) == jobs)
    guard case .reply(id, nil) = try codec.incoming(line) else {
      Issue.record("not the answer to the request")
      return
    }
  }

  @Test func `a short message is one line`() throws {
    let message = try codec.reply(.number(1), EmptyReply())
    #expect(try codec.lines(of: message) == [message + [0x0A]])
  }
}

import InstallJobs
import JobClient
import JobWire
import Support
import Testing

/// An engine by hand in the test's scratch folder: it answers the hello, and after that what the test
/// says.
final class SilentEngine: Sendable {
  let path: String
  /// What came after the hello.
  let requests = Locked<[IncomingRequest]>([])
  /// Whether somebody has connected.
  let isConnected = Locked(false)
  private let socket = Locked<RawSocket?>(nil)
  private let reading = Gate()

  /// - Parameters:
  ///   - capabilities: What it announces.
  ///   - saysHello: Whether it answers the hello.
  ///   - reads: Whether it reads what comes after the hello before ``read()`` is called.
  ///   - name: The name of its socket, without the ending.
  /// - Throws: Where there is no scratch folder, or no socket can be made in it.
  init(
    capabilities: [String] = ["cancel"], saysHello: Bool = true, reads: Bool = true,
    name: String = "silent"
  ) throws {
    path = try #require(ScratchFolder.current).path(name + ".sock")
    let listener = try #require(RawSocket.listen(at: path))
    let words = capabilities.map { "\"\($0)\"" }.joined(separator: ",")
    if reads { reading.open() }
    let (requests, isConnected, socket, reading) = (requests, isConnected, socket, reading)
    Task {
      await onOwnThread {
        guard let peer = listener.accept(), peer.line() != nil else { return }
        if saysHello {
          peer.send(
            #"{"jsonrpc":"2.0","id":0,"result":{"product":"fettle","version":1,"capabilities":"#
              + #"[\#(words)],"epoch":"x","lastSeq":9,"rights":"act"}}"# + "\n")
        }
        socket.change { $0 = peer }
        isConnected.change { $0 = true }
        reading.wait()
        while let line = peer.line() {
          let request = WireCodec().request(Array(line.utf8))
          requests.change { $0.append(request) }
        }
      }
    }
  }

  /// Reads what came, and what comes.
  func read() { reading.open() }

  func connect(
    timeouts: RequestTimeouts = RequestTimeouts(), clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> EngineConnection {
    try await EngineConnection.connect(
      to: path, clientName: "test", timeouts: timeouts, clock: clock)
  }

  /// The methods that came, in order.
  var methods: [String] {
    requests.value.compactMap { try? $0.body.get().method }
  }

  /// The last request or notification of a type, once it has come.
  func request(_ type: any WireRequest.Type) async throws -> IncomingRequest {
    try await eventually("a line of '\(type.method)'") {
      requests.value.last { (try? $0.body.get().method) == type.method }
    }
  }

  /// Sends a line.
  func send(_ line: String) async throws {
    let socket = try await eventually("the connection") { self.socket.value }
    await onOwnThread { _ = socket.send(line + "\n") }
  }

  /// Answers a request.
  func answer(_ request: IncomingRequest, _ result: String = "{}") async throws {
    guard case .number(let id)? = request.id else {
      Issue.record("a request without a number")
      return
    }
    try await send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }

  /// Whether what the client asks is answered still.
  func isServing(_ connection: EngineConnection) async throws -> Bool {
    let probe = WithdrawRequest(JobID(77))
    async let reply = connection.ask(probe)
    let asked = try await eventually("the probe") {
      requests.value.last { (try? $0.body.get()) as? WithdrawRequest == probe }
    }
    try await answer(asked)
    _ = try await reply
    return await connection.isAlive
  }
}

extension WireRequests {
  /// One request of each method that a client waits for.
  static let samples: [any WireRequest] = [
    PlanRequest(JobRequest(.install, [Update("a")])),
    SubmitRequest(JobRequest(.install, [Update("a")])), JobsRequest(),
    SingleSnapshotRequest(JobID(1)), SubmittedRequest(JobID(1)), HistoryRequest(),
    AbortRequest(JobID(1)), WithdrawRequest(JobID(1)), CleanUpRequest(JobID(1)),
    SuspendRequest(JobID(1)), ResumeRequest(JobID(1)), PauseQueueRequest(), ResumeQueueRequest(),
    YieldRequest(), MoveRequest(JobID(1), to: .first),
    UploadRequest(
      archive: LocalArchive(fileName: "a.deb", sha256: "00", size: 9), offset: 0, bytes: [0]),
    MarkRequest(.hold, [Update("a")]), RefreshRequest(), UpdatesRequest(),
    SearchRequest(UpdateCriteria()), SystemRequest(),
    LogRequest(JobID(1)), EventsRequest(JobID(1)), StatusRequest(), AuditRequest(),
    DoctorRequest(), SubscribeRequest(), UnsubscribeRequest(1),
  ]
}

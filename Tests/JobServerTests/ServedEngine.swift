import Glibc
import InstallJobs
import JobClient
import JobServer
import Logging
import Support
import Testing

/// A scripted engine behind a real socket in the test's scratch folder.
struct ServedEngine {
  let engine = ScriptedEngine()
  let path: String
  let server: JobServer
  /// Stops the server, as the end of the test does.
  private(set) var stop: @Sendable () -> Void = {}

  /// Serves while `body` runs, then stops and checks that nothing is left behind.
  static func run(
    limits: ServerLimits = .patient,
    policy: AccessPolicy = AccessPolicy(engineUID: geteuid(), group: nil, everybodyMayLook: false),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    _ body: (ServedEngine) async throws -> Void
  ) async throws {
    let path = try #require(ScratchFolder.current).path("engine.sock")
    var served = try await ServedEngine(path: path, limits: limits, policy: policy, logger: logger)
    let server = served.server
    let serving = Task { try await server.run() }
    served.stop = { serving.cancel() }
    do {
      try await body(served)
    } catch {
      serving.cancel()
      _ = try? await serving.value
      throw error
    }
    serving.cancel()
    try await serving.value
    let isGone = unsafe access(path, F_OK) != 0
    #expect(isGone, "the socket is left behind")
    #expect(served.server.connectionCount == 0)
  }

  private init(
    path: String, limits: ServerLimits, policy: AccessPolicy, logger: Logger
  ) async throws {
    self.path = path
    server = try await JobServer.listen(
      at: path, engine: engine, policy: policy, limits: limits, logger: logger)
  }

  func connect(isReadOnly: Bool = false) async throws -> EngineConnection {
    try await EngineConnection.connect(to: path, clientName: "test", isReadOnly: isReadOnly)
  }

  /// A raw connection that has said hello.
  func raw(_ hello: String = RawLines.hello) async throws -> RawSocket {
    let connected = await onOwnThread { [path] in RawSocket.connect(to: path) }
    let socket = try #require(connected)
    let answer = await socket.ask(hello)
    #expect(answer?.contains("\"result\"") == true)
    return socket
  }
}

/// Lines as a client in another language would write them.
enum RawLines {
  static let hello =
    #"{"jsonrpc":"2.0","id":0,"method":"hello","params":{"product":"fettle","version":1}}"#
  static let readOnlyHello =
    #"{"jsonrpc":"2.0","id":0,"method":"hello","params":"#
    + #"{"product":"fettle","version":1,"readOnly":true}}"#

  static func request(_ id: Int, _ method: String, _ parameters: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
  }
}

extension RawSocket {
  func ask(_ line: String) async -> String? {
    await onOwnThread {
      self.send(line + "\n")
      return self.line()
    }
  }

  func nextLine() async -> String? { await onOwnThread { self.line() } }
  func ends() async -> Bool { await onOwnThread { self.isEnded() } }
}

extension ServerLimits {
  /// The usual limits, with time for a hello on a machine that is busy with other tests.
  static var patient: ServerLimits {
    var limits = ServerLimits()
    limits.helloSeconds = 240
    return limits
  }
}

internal import Glibc
internal import InstallJobs
internal import JobServer
internal import Logging

/// A scripted engine behind a private socket, where a real client finds it.
struct ServedQueue: Sendable {
  let engine: ScriptedEngine
  /// Where it listens.
  let socket: String

  /// Serves a queue while `body` runs.
  ///
  /// - Throws: ``CannotMeasure`` when no socket can be made; what `body` throws.
  static func serve<Value: Sendable>(
    _ queue: ScriptedQueue, in workplace: Workplace,
    _ body: (ServedQueue) async throws -> Value
  ) async throws -> Value {
    let folder = try workplace.folder("engine")
    let log = folder + "/log"
    try SmallFile.write(logText, to: log)
    let engine = ScriptedEngine(queue, logPath: log)
    let policy = AccessPolicy(engineUID: geteuid(), group: nil, everybodyMayLook: false)
    let server: JobServer
    do {
      server = try await JobServer.listen(
        at: folder + "/sock", engine: engine, policy: policy,
        logger: Logger(label: "fettle-bench") { _ in SwiftLogNoOpLogHandler() })
    } catch {
      throw CannotMeasure(error.message, hint: error.hint)
    }
    let serving = Task { try await server.run() }
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(ServedQueue(engine: engine, socket: server.path)))
    } catch {
      result = .failure(error)
    }
    serving.cancel()
    _ = try? await serving.value
    return try result.get()
  }

  private static let logText = (1...200)
    .map { "Setting up library-\($0):amd64 (1.0-\($0)) ...\n" }.joined()
}

internal import InstallJobs
internal import JobClient
internal import JobWire

/// Jobs of an engine whose packages cost nothing: what is left is the engine's own work.
///
/// The provider is the simulated one; journal, wire and job folders are as they are shipped.
struct IdleJobs: Sendable {
  /// Where they are submitted.
  let connection: EngineConnection
  private let packages: [String]
  /// Requests under way at a time, as of so many clients.
  private static let clients = 16

  /// A scenario of packages that are installed and take no time.
  static func scenario(packages: [String]) -> String {
    let head = """
      name = "idle"
      summary = "Packages that take no time"
      bytesPerSecond = 1_000_000_000_000

      [defaults]
      download = 0
      unpack = 0
      configure = 0
      remove = 0
      size = 1

      """
    return head
      + packages.map {
        "\n[[package]]\nname = \"\($0)\"\nversion = \"1\"\ninstalled = \"1\"\n"
      }.joined()
  }

  /// The packages of the scenario.
  static let packages = (1...24).map { "idle-\($0)" }

  init(_ connection: EngineConnection, packages: [String] = Self.packages) {
    self.connection = connection
    self.packages = packages
  }

  /// Has so many jobs done, each of which installs one package again.
  ///
  /// - Returns: Jobs a second, from the first request to the last job's end.
  /// - Throws: ``CannotMeasure`` when one fails; what the engine refuses.
  func run(_ count: Int) async throws -> Double {
    let backend = EngineBackend(connection)
    let reached = try await backend.status().seq
    let events = try await connection.subscribe(SubscribeRequest(from: reached))
    let begin = ContinuousClock.now
    async let end = Self.lastEnd(of: count, in: events)
    try await submit(count)
    return Double(count) / (try await end - begin).seconds
  }

  /// Submits so many jobs, each of which installs one package again.
  ///
  /// - Throws: What the engine refuses.
  func submit(_ count: Int) async throws {
    let (connection, packages) = (connection, packages)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<Self.clients {
        group.addTask {
          let backend = EngineBackend(connection)
          for index in stride(from: client, to: count, by: Self.clients) {
            let update = Update(packages[index % packages.count])
            _ = try await backend.submit(JobRequest(.reinstall, [update]))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func lastEnd(
    of count: Int, in events: EngineEvents
  ) async throws -> ContinuousClock.Instant {
    var over = 0
    for try await element in events {
      guard case .event(let event) = element, case .completed(let outcome) = event.payload else {
        continue
      }
      guard outcome.resultCode == .succeeded else {
        throw CannotMeasure(
          "job \(event.job?.rawValue ?? 0) did not succeed: \(outcome.error?.message ?? "")")
      }
      over += 1
      if over == count { return .now }
    }
    try Task.checkCancellation()
    throw CannotMeasure("the engine told \(over) ends of \(count)")
  }
}

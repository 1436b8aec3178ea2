import InstallJobs
import JobEngine
import JobJournal
import Logging
import SimulatedProvider
import Support
import Testing

@testable import JobServer

@Suite(.scratchFolder, .timeLimit(.minutes(2)), .endsOrAborts)
struct `The watch for shutdowns of the machine` {
  private let clock = ManualClock()
  private let log = Locked<[String]>([])
  private let followings = Locked(0)

  /// A watch of a login manager that announces a shutdown to the first who follows it.
  private func watch(
    isPreparing: Bool?, isUnderWay: @escaping @Sendable () async -> Bool = { false }
  ) async throws -> ShutdownWatch {
    let folder = try #require(ScratchFolder.current)
    let engine = Engine(
      provider: SimulatedProvider(playing: .instant(1)),
      journal: try Journal.open(at: folder.path("journal.sqlite")),
      settings: EngineSettings(stateFolder: folder.path, version: "test"))
    let (log, followings) = (log, followings)
    var watch = ShutdownWatch(
      engine: engine, followsLoginManager: true, clock: clock, isUnderWay: isUnderWay,
      logger: Logger(label: "test") { _ in RecordingHandler(lines: log) })
    watch.follow = { body in
      followings.change { $0 += 1 }
      guard followings.value == 1 else {
        try? await Task.sleep(for: .seconds(3600))
        return
      }
      #expect(await !body(true))
    }
    watch.isPreparing = { isPreparing }
    return watch
  }

  private func run(
    _ watch: ShutdownWatch, until body: () async throws -> Void
  ) async throws {
    let running = Task { try await watch.run() }
    defer { running.cancel() }
    try await body()
    running.cancel()
    try await running.value
  }

  @Test func `follows the login manager at once again after a shutdown that was cancelled`()
    async throws
  {
    try await run(watch(isPreparing: false)) {
      try await eventually { followings.value == 2 }
    }
    #expect(clock.sleepsBegun == 0)
    #expect(log.value.last == "the shutdown of the machine was cancelled")
  }

  @Test func `says that it cannot follow, and tries again later`() async throws {
    var watch = try await watch(isPreparing: false)
    let followings = followings
    watch.follow = { _ throws(InstallationError) in
      followings.change { $0 += 1 }
      throw InstallationError(.internal, "it ended by itself")
    }
    try await run(watch) {
      try await eventually { clock.sleeperCount == 1 }
      #expect(followings.value == 1 && log.value.count == 1)
      #expect(log.value.first?.contains("it ended by itself") == true)
      await clock.advance(by: .seconds(30))
      try await eventually { followings.value == 2 }
    }
  }

  @Test func `lets jobs go on where nobody tells of the shutdown any more`() async throws {
    try await run(watch(isPreparing: nil)) {
      #expect(await clock.advance(limit: .seconds(60)) { followings.value == 2 })
    }
    #expect(log.value.last?.hasSuffix("jobs go on") == true)
  }

  @Test func `waits for a machine that goes down without its message bus`() async throws {
    let asked = Locked(0)
    try await run(
      watch(isPreparing: nil) {
        asked.change { $0 += 1 }
        return asked.value < 3
      }
    ) {
      #expect(await clock.advance(limit: .seconds(600)) { followings.value == 2 })
    }
    #expect(asked.value == 3)
  }
}

private struct RecordingHandler: LogHandler {
  let lines: Locked<[String]>
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { lines.change { $0.append("\(event.message)") } }
}

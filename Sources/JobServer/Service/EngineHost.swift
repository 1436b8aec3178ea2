internal import Glibc
import HostSystem
package import InstallJobs
package import JobEngine
internal import JobJournal
package import Logging
package import PackageProvider
internal import ServiceLifecycle
internal import UnixSignals

/// A whole engine: provider, journal, jobs, socket; started, served until it is told to stop.
///
/// Stopping ends the connections and closes the journal; workers go on, and the next engine on the
/// same state folder follows them.
package struct EngineHost: Sendable {
  /// The package system that the engine stands on.
  package var provider: any PackageProvider
  /// Journal, job folders, archive store.
  ///
  /// Made if it is not there; must belong to this user.
  package var stateFolder: String
  /// Where to listen.
  package var socket: String
  package var settings: EngineSettings
  /// Whether everybody may look.
  package var everybodyMayLook: Bool
  /// Jobs that a scenario brings, submitted in this process's name at their times.
  package var scenarioJobs: [ScheduledRequest]
  /// Whether jobs are asked to stop when the lifeline ends, instead of being waited for.
  package var abortsAtEnd = false
  /// The service manager that is told when the engine serves, lives and ends; nil for none.
  package var serviceManager: ServiceManager?
  /// Whether the machine is shutting down; asked when the engine is told to end.
  package var isSystemShuttingDown: @Sendable () async -> Bool = SystemShutdown.isUnderWay
  package var logger: Logger

  package init(
    provider: any PackageProvider, stateFolder: String, socket: String, settings: EngineSettings,
    everybodyMayLook: Bool, scenarioJobs: [ScheduledRequest] = [], logger: Logger
  ) {
    self.provider = provider
    self.stateFolder = AbsolutePath.of(stateFolder)
    self.socket = AbsolutePath.of(socket)
    self.settings = settings
    self.everybodyMayLook = everybodyMayLook
    self.scenarioJobs = scenarioJobs
    self.logger = logger
  }

  /// Serves until SIGTERM or SIGINT, or until `lifeline` is at its end and nothing works or will by
  /// itself.
  ///
  /// - Parameters:
  ///   - lifeline: A descriptor whose end means that whoever started the engine is gone; nil for
  ///     engines that stand alone.
  ///   - played: Called once the last of the scenario's jobs is submitted, after `ready`.
  ///   - ready: Called once clients can connect and a signal to stop is heeded.
  /// - Returns: Whether no job was open at the end, not even one that is held or in a paused queue:
  ///   nothing works on in the state folder, and nobody will need it.
  /// - Throws: `busy` when another engine works on the package root or with the state folder;
  ///   `journal`; `badRoot`;
  ///   `invalidArgument` for a socket that cannot be made, and for the state of another root.
  @discardableResult
  package func run(
    lifeline: Int32? = nil, played: @escaping @Sendable () -> Void = {},
    ready: @escaping @Sendable () -> Void
  ) async throws -> Bool {
    // First of all: whoever comes second makes and changes nothing.
    let claim = try provider.claimRoot(stateFolder: stateFolder)
    defer { withExtendedLifetime(claim) {} }
    let folders = StateFolders(path: stateFolder)
    try folders.make()
    // Nobody else has anything to do with what another provider keeps there.
    if geteuid() == 0, provider.name == "apt" { letAptThrough(folders) }
    try StateFolders.make(Self.parent(of: socket), mode: 0o755, below: folders.path)
    let reserve = RoomReserve(folder: stateFolder + "/reserve")
    // SQLite needs files of its own to open the journal.
    if reserve.isShort { reserve.giveUp() }
    let journal = try Journal.open(at: stateFolder + "/journal.sqlite", reserve: reserve)
    let heap = SpareMemory(clock: settings.clock)
    var settings = settings
    settings.jobEnded = { heap.giveBackSoon() }
    let engine = Engine(provider: provider, journal: journal, settings: settings, logger: logger)
    try await engine.claimState()
    try await engine.start()
    let server = try await JobServer.listen(
      at: socket, engine: engine,
      policy: .own(engineUser: settings.owner.user, everybodyMayLook: everybodyMayLook), heap: heap,
      logger: logger)
    let (announced, telling) = AsyncStream.makeStream(of: Void.self)
    let announcement = Announcement {
      ready()
      serviceManager?.notifyReady()
      telling.finish()
    } stopping: {
      serviceManager?.notifyStopping()
    }
    // The last one is shut down first: clients are served until the job at work has stopped.
    let hold = ShutdownHold(engine: engine, isUnderWay: isSystemShuttingDown, logger: logger)
    let group = ServiceGroup(
      configuration: .init(
        services: [
          .init(service: server), .init(service: announcement),
          .init(
            service: ShutdownWatch(
              engine: engine, followsLoginManager: geteuid() == 0 && LoginManager.isPresent,
              clock: settings.clock, isUnderWay: isSystemShuttingDown, logger: logger),
            successTerminationBehavior: .ignore),
          .init(service: hold, successTerminationBehavior: .ignore),
        ],
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    let play = Task {
      for await _ in announced {}
      guard !Task.isCancelled else { return }
      await submitScenario(to: engine)
      played()
    }
    let watch = Task {
      guard let lifeline else { return }
      await Self.end(of: lifeline)
      if abortsAtEnd { await abortAll(of: engine) }
      await engine.untilIdle(orStateIsGone: true)
      await group.triggerGracefulShutdown()
    }
    let beats = Task {
      guard let serviceManager else { return }
      let watchdog = Watchdog(manager: serviceManager, clock: settings.clock) {
        guard await server.ping() else { return false }
        await engine.answerPing()
        return true
      }
      await watchdog.run()
    }
    defer {
      beats.cancel()
      play.cancel()
      watch.cancel()
    }
    try await group.run()
    let isEmpty = await engine.isEmpty
    await engine.end()
    try journal.close()
    return isEmpty
  }

  private func letAptThrough(_ folders: StateFolders) {
    let (opened, barred) = folders.letOthersThrough()
    for folder in opened {
      logger.notice("apt's own user must pass through \(folder): others may now, and see nothing")
    }
    if let barred {
      logger.warning(
        "apt fetches as root: its own user cannot pass through \(barred); chmod o+x allows it")
    }
  }

  /// A request that is submitted at a time.
  package struct ScheduledRequest: Sendable, Hashable {
    package var request: JobRequest
    /// When to submit it, in seconds after the start of the engine.
    package var at: Double

    /// A request and its time.
    package init(_ request: JobRequest, at: Double) {
      self.request = request
      self.at = at
    }
  }

  /// Submits what the scenario brings, each job at its time.
  private func submitScenario(to engine: Engine) async {
    let start = settings.now()
    for job in scenarioJobs.sorted(by: { $0.at < $1.at }) {
      let wait = job.at - settings.now().seconds(since: start)
      if wait > 0 {
        guard (try? await settings.clock.sleep(for: .milliseconds(Int64(wait * 1000)))) != nil
        else { return }
      }
      do {
        _ = try await engine.submit(job.request, by: settings.owner)
      } catch {
        logger.error("the scenario's job was refused: \(error)")
      }
    }
  }

  /// Asks every job that is not over to stop, in this process's name.
  private func abortAll(of engine: Engine) async {
    for job in (try? await engine.jobs(in: nil)) ?? [] where !job.state.isFinal {
      _ = try? await engine.requestAbort(of: job.id, by: settings.owner)
    }
  }

  /// Waits for the other end of a pipe to be closed.
  private static func end(of descriptor: Int32) async {
    await withCheckedContinuation { continuation in
      let thread = DetachedThread {
        var byte: UInt8 = 0
        while true {
          let count = unsafe read(descriptor, &byte, 1)
          if count > 0 || (count < 0 && errno == EINTR) { continue }
          break
        }
        continuation.resume()
      }
      if !thread.isRunning { continuation.resume() }
    }
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

/// Says that all is ready once signals are the group's: before, one would kill the process.
private struct Announcement: Service {
  let body: @Sendable () -> Void
  let stopping: @Sendable () -> Void

  func run() async throws {
    body()
    try await gracefulShutdown()
    stopping()
  }
}

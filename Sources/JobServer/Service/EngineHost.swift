internal import Glibc
import HostSystem
package import InstallJobs
package import JobEngine
internal import JobJournal
package import Logging
package import PackageProvider
internal import ServiceLifecycle
internal import UnixSignals

/// A complete engine process: provider, journal, jobs and socket.
///
/// Runs until it receives a signal or its lifeline ends. Shutdown closes the connections and the
/// journal. Workers keep running, and the next engine on the same state folder follows them.
package struct EngineHost: Sendable {
  /// The package system of the engine.
  package var provider: any PackageProvider
  /// The absolute path of the folder for journal, job folders and archives.
  ///
  /// Created if it does not exist; must belong to this user.
  package var stateFolder: String
  /// The path of the socket to listen at.
  package var socket: String
  package var settings: EngineSettings
  /// Whether every user may view.
  package var everybodyMayLook: Bool
  /// Jobs of a scenario, submitted at their times as jobs of `EngineSettings.owner`.
  package var scenarioJobs: [ScheduledRequest]
  /// Whether jobs are aborted when the lifeline ends; if false, the engine waits for their end.
  package var abortsAtEnd = false
  /// The service manager to notify of readiness, liveness and shutdown; nil for none.
  package var serviceManager: ServiceManager?
  /// Returns whether the machine is shutting down; called when the engine receives a signal to end.
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

  /// Serves until SIGTERM or SIGINT, or until `lifeline` has ended and no job works or will start
  /// by itself.
  ///
  /// - Parameters:
  ///   - lifeline: A descriptor whose end of file means that the process that started the engine is
  ///     gone; nil for none.
  ///   - played: Called after the last job of the scenario was submitted, and after `ready`.
  ///   - ready: Called once clients can connect and signals are handled.
  /// - Returns: True if no job was unfinished at the end, not even a paused job or a job in a
  ///   paused queue. No process then works in the state folder, and it can be deleted.
  /// - Throws: `busy` when another engine uses the package root or the state folder; `journal`;
  ///   `badRoot`; `invalidArgument` for a socket that cannot be created, and for the state of
  ///   another root.
  @discardableResult
  package func run(
    lifeline: Int32? = nil, played: @escaping @Sendable () -> Void = {},
    ready: @escaping @Sendable () -> Void
  ) async throws -> Bool {
    // First, so that a second engine changes no file.
    let claim = try provider.claimRoot(stateFolder: stateFolder)
    defer { withExtendedLifetime(claim) {} }
    let folders = StateFolders(path: stateFolder)
    try folders.make()
    // Only apt needs folders that another user can pass through.
    if geteuid() == 0, provider.name == "apt" { allowAptAccess(folders) }
    try StateFolders.make(Self.parent(of: socket), mode: 0o755, below: folders.path)
    let reserve = SpaceReserve(folder: stateFolder + "/reserve")
    // SQLite needs space for files of its own to open the journal.
    if reserve.isDiskFull { reserve.release() }
    let journal = try Journal.open(at: stateFolder + "/journal.sqlite", reserve: reserve)
    let heap = HeapTrimmer(clock: settings.clock)
    var settings = settings
    settings.jobEnded = { heap.scheduleTrim() }
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
    // Services shut down in reverse order, so clients are served until the running job has stopped.
    let hold = ShutdownDelay(engine: engine, isUnderWay: isSystemShuttingDown, logger: logger)
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

  private func allowAptAccess(_ folders: StateFolders) {
    let (opened, barred) = folders.allowTraversal()
    for folder in opened {
      logger.notice("apt's own user must pass through \(folder): others may now, and see nothing")
    }
    if let barred {
      logger.warning(
        "apt fetches as root: its own user cannot pass through \(barred); chmod o+x allows it")
    }
  }

  /// A job request and the time to submit it.
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

  /// Submits the jobs of the scenario, each at its time.
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

  /// Requests the abort of every unfinished job in the name of `EngineSettings.owner`.
  private func abortAll(of engine: Engine) async {
    for job in (try? await engine.jobs(in: nil)) ?? [] where !job.state.isFinal {
      _ = try? await engine.requestAbort(of: job.id, by: settings.owner)
    }
  }

  /// Waits until the other end of a pipe is closed.
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

/// A service that announces readiness once the service group handles signals.
///
/// Before that, a signal would kill the process.
private struct Announcement: Service {
  let body: @Sendable () -> Void
  let stopping: @Sendable () -> Void

  func run() async throws {
    body()
    try await gracefulShutdown()
    stopping()
  }
}

internal import InstallJobs
internal import JobEngine
internal import Logging
internal import PackageTools
internal import ServiceLifecycle
internal import Synchronization

/// Stops the job at work before a shutdown that the login manager announces, which is delayed until
/// then, and goes on where the shutdown is cancelled.
///
/// The delay is held all the time and not only while a job works: there is no moment then between the
/// begin of a job and its delay, and without a job it is given up at once.
struct ShutdownWatch: Service {
  let engine: Engine
  let followsLoginManager: Bool
  let logger: Logger

  /// How long the login manager is left alone when it cannot be followed.
  private static let retryInterval = Duration.seconds(30)

  func run() async throws {
    guard followsLoginManager, LoginManager.isPresent else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(InstallationError) {
          try await follow()
        } catch {
          logger.info("\(error)")
        }
        try? await Task.sleep(for: Self.retryInterval)
      }
    }
  }

  private func follow() async throws(InstallationError) {
    let isAnnounced = Flag()
    try await LoginManager.followShutdowns(delays: true) { [engine, logger] isComing in
      guard isComing else { return true }
      logger.notice("the login manager announces a shutdown of the machine")
      await engine.prepareForShutdown()
      isAnnounced.set()
      return false
    }
    guard isAnnounced.isSet else { return }
    // The delay is over. A shutdown that does not come lets the jobs go on.
    while await LoginManager.isPreparingForShutdown() ?? true, !Task.isCancelled {
      try? await Task.sleep(for: .seconds(2))
    }
    guard !Task.isCancelled else { return }
    logger.notice("the shutdown of the machine was cancelled")
    await engine.cancelShutdown()
  }

  private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
  }
}

internal import InstallJobs
internal import JobEngine
internal import Logging
internal import PackageProvider
internal import ServiceLifecycle

/// Stops the running job before a shutdown that the login manager announces, and delays the
/// shutdown until then.
///
/// Lets jobs continue if the shutdown is cancelled. The delay lock is held all the time, not only
/// while a job works. So no shutdown can come between the start of a job and its lock. Without a
/// running job the lock is released at once.
struct ShutdownWatch: Service {
  typealias Announced = @Sendable (Bool) async -> Bool

  let engine: Engine
  let followsLoginManager: Bool
  let clock: any Clock<Duration>
  /// Returns whether the service manager is shutting the machine down.
  let isUnderWay: @Sendable () async -> Bool
  let logger: Logger
  /// See ``LoginManager/followShutdowns(delays:_:)``.
  var follow: @Sendable (Announced) async throws(InstallationError) -> Void = {
    body throws(InstallationError) in
    try await LoginManager.followShutdowns(delays: true, body)
  }
  /// See ``LoginManager/isPreparingForShutdown()``.
  var isPreparing: @Sendable () async -> Bool? = LoginManager.isPreparingForShutdown

  /// Pause before the next attempt to follow the login manager after a failure.
  private static let retryInterval = Duration.seconds(30)
  /// Interval of the queries whether an announced shutdown is still to come.
  private static let checkInterval = Duration.seconds(2)
  /// Number of unanswered queries in a row after which the service manager is queried instead.
  ///
  /// Each query takes up to five seconds.
  private static let mostUnanswered = 15

  func run() async throws {
    guard followsLoginManager else { return try await gracefulShutdown() }
    await cancelWhenGracefulShutdown {
      var hasFailed = false
      while !Task.isCancelled {
        do throws(InstallationError) {
          try await followOnce()
          hasFailed = false
        } catch {
          guard !Task.isCancelled else { return }
          logger.log(
            level: hasFailed ? .info : .warning,
            "shutdowns of the machine do not wait for jobs: \(error); tried again every 30 seconds")
          hasFailed = true
          try? await clock.sleep(for: Self.retryInterval)
        }
      }
    }
  }

  /// Follows the login manager until it has announced a shutdown and that shutdown was cancelled.
  private func followOnce() async throws(InstallationError) {
    try await follow { [engine, logger] isComing in
      guard isComing else { return true }
      logger.notice("the login manager announces a shutdown of the machine")
      await engine.prepareForShutdown()
      return false
    }
    // The delay lock is released. Jobs continue if the shutdown does not come.
    guard await isCancelled() else { return }
    await engine.cancelShutdown()
  }

  /// Waits until an announced shutdown is cancelled.
  ///
  /// - Returns: True when the shutdown was cancelled; false if this task is cancelled.
  private func isCancelled() async -> Bool {
    var unanswered = 0
    while !Task.isCancelled {
      switch await isPreparing() {
      case true?: unanswered = 0
      case false?:
        logger.notice("the shutdown of the machine was cancelled")
        return true
      case nil: unanswered += 1
      }
      // The message bus ends early in a shutdown; the service manager answers without it.
      if unanswered >= Self.mostUnanswered {
        guard await isUnderWay() else {
          logger.warning(
            "the login manager does not answer, and the machine is not going down: jobs go on")
          return true
        }
        unanswered = 0
      }
      try? await clock.sleep(for: Self.checkInterval)
    }
    return false
  }
}

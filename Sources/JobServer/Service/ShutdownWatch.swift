internal import InstallJobs
internal import JobEngine
internal import Logging
internal import PackageProvider
internal import ServiceLifecycle

/// Stops the job at work before a shutdown that the login manager announces, which is delayed until
/// then, and goes on where the shutdown is cancelled.
///
/// The delay is held all the time and not only while a job works: there is no moment then between the
/// begin of a job and its delay, and without a job it is given up at once.
struct ShutdownWatch: Service {
  typealias Announced = @Sendable (Bool) async -> Bool

  let engine: Engine
  let followsLoginManager: Bool
  let clock: any Clock<Duration>
  /// Whether the service manager is taking the machine down.
  let isUnderWay: @Sendable () async -> Bool
  let logger: Logger
  /// See ``LoginManager/followShutdowns(delays:_:)``.
  var follow: @Sendable (Announced) async throws(InstallationError) -> Void = {
    body throws(InstallationError) in
    try await LoginManager.followShutdowns(delays: true, body)
  }
  /// See ``LoginManager/isPreparingForShutdown()``.
  var isPreparing: @Sendable () async -> Bool? = LoginManager.isPreparingForShutdown

  /// How long the login manager is left alone when it cannot be followed.
  private static let retryInterval = Duration.seconds(30)
  /// How often it is asked whether a shutdown that it announced is still to come.
  private static let checkInterval = Duration.seconds(2)
  /// After how many questions in a row without an answer the service manager is asked instead.
  ///
  /// Each takes up to five seconds.
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

  /// Follows the login manager until it has announced a shutdown and that has been cancelled.
  private func followOnce() async throws(InstallationError) {
    try await follow { [engine, logger] isComing in
      guard isComing else { return true }
      logger.notice("the login manager announces a shutdown of the machine")
      await engine.prepareForShutdown()
      return false
    }
    // The delay is over. A shutdown that does not come lets the jobs go on.
    guard await isCancelled() else { return }
    await engine.cancelShutdown()
  }

  /// Waits until a shutdown that was announced is cancelled.
  ///
  /// - Returns: Whether it is; false where this task is cancelled.
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
      // The message bus goes early in a shutdown; the service manager answers without it.
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

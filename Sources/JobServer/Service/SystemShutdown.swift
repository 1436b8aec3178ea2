internal import Glibc
internal import JobEngine
internal import Logging
internal import PackageProvider
internal import ServiceLifecycle

/// Detects a shutdown of the machine by the service manager.
package enum SystemShutdown {
  /// Whether systemd is stopping the machine; false if systemd is not the service manager or does
  /// not answer within ten seconds, and for a process that is not root.
  ///
  /// This distinguishes a shutdown of the machine from a plain `systemctl stop` or `restart` of the
  /// engine, which does not affect jobs.
  package static func isUnderWay() async -> Bool {
    guard geteuid() == 0 else { return false }
    return await SystemState.present(within: .seconds(10)) == "stopping"
  }
}

/// A service that keeps the engine running during a shutdown of the machine until the running job
/// has stopped.
struct ShutdownDelay: Service {
  let engine: Engine
  let isUnderWay: @Sendable () async -> Bool
  let logger: Logger

  func run() async throws {
    try await gracefulShutdown()
    guard await isUnderWay() else { return }
    logger.notice("the machine is shutting down")
    await engine.prepareForShutdown()
  }
}

internal import Glibc
internal import JobEngine
internal import Logging
internal import PackageProvider
internal import ServiceLifecycle

/// Whether the service manager is taking the machine down.
package enum SystemShutdown {
  /// Asks systemd whether it is stopping the machine; false where it is not the service manager, or
  /// does not answer within ten seconds.
  ///
  /// This tells a stop of the machine from a plain `systemctl stop` or `restart` of the engine, which
  /// leaves jobs alone.
  package static func isUnderWay() async -> Bool {
    guard geteuid() == 0 else { return false }
    return await SystemState.present(within: .seconds(10)) == "stopping"
  }
}

/// Keeps the engine from ending while the machine goes down until the job at work has stopped.
struct ShutdownHold: Service {
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

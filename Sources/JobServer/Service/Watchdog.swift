/// Sends watchdog notifications to the service manager as long as all serving parts of the process
/// answer.
struct Watchdog: Sendable {
  let manager: ServiceManager
  let clock: any Clock<Duration>
  /// Returns when all serving parts have answered; true if all of them could.
  let ping: @Sendable () async -> Bool

  /// Pings the parts and sends a notification twice in each watchdog interval, until the task is
  /// cancelled.
  ///
  /// Returns at once if the manager has no watchdog.
  func run() async {
    guard let interval = manager.watchdogInterval else { return }
    while !Task.isCancelled {
      if await ping() { manager.notifyWatchdog() }
      guard (try? await clock.sleep(for: interval / 2)) != nil else { return }
    }
  }
}

/// Tells the service manager that this process is alive, as long as the parts that serve answer.
struct Watchdog: Sendable {
  let manager: ServiceManager
  let clock: any Clock<Duration>
  /// Returns when every part that serves has answered, and true when all of them could.
  let ping: @Sendable () async -> Bool

  /// Sends a beat twice in each interval of the manager's, each after an answer to its own ping, until
  /// the task is cancelled; returns at once where the manager does not watch.
  func run() async {
    guard let interval = manager.watchdogInterval else { return }
    while !Task.isCancelled {
      if await ping() { manager.notifyWatchdog() }
      guard (try? await clock.sleep(for: interval / 2)) != nil else { return }
    }
  }
}

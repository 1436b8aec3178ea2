import InstallJobs
import JobJournal
import Logging
import PackageProvider

/// Jobs that the retention does not keep: removed a few at a time while no job is at work.
extension Engine {
  /// How long after the start, an end, or work in between old jobs are looked for, in seconds.
  static let retentionDelay = 60.0
  /// The time between two steps, in seconds.
  static let retentionPause = 0.5
  /// The time after which old jobs are looked for where nothing happens, in seconds.
  static let retentionInterval = 3600.0

  /// Looks for old jobs after so many seconds, unless it waits for no longer than that already.
  func removeOldLater(after seconds: Double = Engine.retentionDelay) {
    guard settings.retention != nil, seconds < retentionWait?.seconds ?? .infinity else { return }
    retentionWait?.timer.cancel()
    let timer = timer(after: seconds) { engine in await engine.removeOld() }
    retentionWait = (seconds, timer)
  }

  private func removeOld() async {
    guard let retention = settings.retention else { return }
    retentionWait = nil
    guard queue.running == nil else { return removeOldLater() }
    do throws(InstallationError) {
      let step = try await Self.removeOld(
        retention, at: settings.now(), from: journal, in: settings.stateFolder)
      removeOldLater(after: step.hasMore ? Self.retentionPause : Self.retentionInterval)
    } catch {
      logger.error("cannot remove jobs that are not kept any more: \(error)")
      removeOldLater(after: Self.retentionInterval)
    }
  }

  /// Not on the engine's own thread, which must not wait for files to be removed.
  @concurrent private nonisolated static func removeOld(
    _ retention: JournalRetention, at time: Timestamp, from journal: Journal, in state: String
  ) async throws(InstallationError) -> RetentionStep {
    try journal.removeOld(retention, at: time) { jobs in
      jobs.filter { JobFolder(of: JobID($0), inState: state).removeAll() }
    }
  }
}

import InstallJobs
import JobJournal
import Logging
import PackageProvider

/// Removal of jobs beyond the retention: a few at a time, while no job is at work.
extension Engine {
  /// Delay of a removal after the engine's start, after the end of a job, and while a job is at
  /// work, in seconds.
  static let retentionDelay = 60.0
  /// Pause between two removal steps, in seconds.
  static let retentionPause = 0.5
  /// Interval between removals when nothing else schedules one, in seconds.
  static let retentionInterval = 3600.0

  /// Schedules the removal of old jobs after `seconds`, unless an earlier removal is scheduled.
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

  /// Runs off the engine's own thread, because the removal of files takes time.
  @concurrent private nonisolated static func removeOld(
    _ retention: JournalRetention, at time: Timestamp, from journal: Journal, in state: String
  ) async throws(InstallationError) -> RetentionStep {
    try journal.removeOld(retention, at: time) { jobs in
      jobs.filter { JobFolder(of: JobID($0), inState: state).removeAll() }
    }
  }
}

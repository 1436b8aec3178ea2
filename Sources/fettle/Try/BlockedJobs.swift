import InstallJobs
import JobClient

/// The paused queue and paused jobs of a try, which would never end after its monitor is closed.
struct BlockedJobs: Sendable {
  private let isPaused: Bool
  // Queued jobs come first: resuming them takes no time.
  private let pausedJobs: [JobID]

  /// - Parameters:
  ///   - status: The engine's status.
  ///   - open: Its jobs that have not ended.
  init(_ status: EngineStatus, _ open: [JobSnapshot]) {
    isPaused = status.queue.pause?.cause == .request
    let pausedJobs = open.filter(Self.isPaused)
    let waiting = pausedJobs.filter { $0.state == .queued }
    self.pausedJobs = (waiting + pausedJobs.filter { $0.state != .queued }).map(\.id)
  }

  /// What is paused, as the end of a sentence about the jobs: `, the queue is paused`.
  var words: String {
    var parts = isPaused ? ["the queue is paused"] : []
    if !pausedJobs.isEmpty {
      parts.append(
        pausedJobs.count == 1 ? "1 job is paused" : "\(pausedJobs.count) jobs are paused")
    }
    return parts.map { ", \($0)" }.joined()
  }

  /// The offer in the question about the jobs: `resume them and wait for them`.
  var offer: String {
    isPaused || !pausedJobs.isEmpty ? "resume them and wait for them" : "wait for them"
  }

  /// Resumes the queue, then each job as soon as it can be resumed.
  ///
  /// A queue or job that another client resumed meanwhile is not an error.
  func end(on session: UpdateSession) async {
    if isPaused { _ = try? await session.resumeQueue() }
    for id in pausedJobs { await resumeJob(id, on: session) }
  }

  /// Resumes a job; a running job with a pending pause is resumed when it pauses.
  private func resumeJob(_ id: JobID, on session: UpdateSession) async {
    do {
      for try await job in await session.snapshots(of: id) {
        guard Self.isPaused(job) else { return }
        guard job.state == .suspended || job.state == .queued else { continue }
        _ = try await session.resume(id)
        return
      }
    } catch {
      // The job stays paused, and the engine reports that to its clients.
    }
  }

  private static func isPaused(_ job: JobSnapshot) -> Bool {
    !job.state.isFinal && (job.state == .suspended || job.waitingFor?.isJobPause ?? false)
  }
}

import InstallJobs
import JobClient

/// What keeps the jobs of a try from their end when nobody is left to let them go on: a queue that
/// was paused, jobs that are or will be held.
struct BlockedJobs: Sendable {
  private let isPaused: Bool
  // Those that wait first: letting them go on takes no time.
  private let held: [JobID]

  /// - Parameters:
  ///   - status: How the engine stands.
  ///   - open: Its jobs that are not over.
  init(_ status: EngineStatus, _ open: [JobSnapshot]) {
    isPaused = status.queue.pause?.cause == .request
    let held = open.filter(Self.isHeld)
    let waiting = held.filter { $0.state == .queued }
    self.held = (waiting + held.filter { $0.state != .queued }).map(\.id)
  }

  /// What stands still, as the end of a sentence about the jobs: `, the queue is paused`.
  var words: String {
    var parts = isPaused ? ["the queue is paused"] : []
    if !held.isEmpty { parts.append(held.count == 1 ? "1 is held" : "\(held.count) are held") }
    return parts.map { ", \($0)" }.joined()
  }

  /// What waiting for the jobs takes: `let them go on and wait for them`.
  var offer: String {
    isPaused || !held.isEmpty ? "let them go on and wait for them" : "wait for them"
  }

  /// Lets queue and jobs go on, each as soon as it can be.
  ///
  /// What somebody else has let go on meanwhile is as well.
  func end(on session: UpdateSession) async {
    if isPaused { _ = try? await session.resumeQueue() }
    for id in held { await letGoOn(id, on: session) }
  }

  /// Lets a job go on; one that works on to where it will be held is waited for.
  private func letGoOn(_ id: JobID, on session: UpdateSession) async {
    do {
      for try await job in await session.snapshots(of: id) {
        guard Self.isHeld(job) else { return }
        guard job.state == .suspended || job.state == .queued else { continue }
        _ = try await session.resume(id)
        return
      }
    } catch {
      // It stays held, and the engine says so to whoever looks.
    }
  }

  private static func isHeld(_ job: JobSnapshot) -> Bool {
    !job.state.isFinal && (job.state == .suspended || job.waitingFor?.isHold ?? false)
  }
}

internal import Glibc
package import InstallJobs
import JobJournal

/// A subscription: snapshots of the jobs, and all events after them.
package struct EngineSubscription: Sendable {
  /// Jobs that are not cleaned up, oldest first, without plans, as of `seq`.
  package let snapshots: [JobSnapshot]
  /// Number of the last durable event that the snapshots include.
  package let seq: Int
  /// Events after `seq`, in order.
  ///
  /// Durable events have no gaps unless the reader is too slow: then the oldest are dropped, which
  /// shows in their numbers, and can be read from the journal.
  package let events: AsyncStream<[JobEvent]>

  /// Number of the last durable event that was removed from the journal.
  package let keptAfter: Int

  package init(
    snapshots: [JobSnapshot], seq: Int, keptAfter: Int = 0, events: AsyncStream<[JobEvent]>
  ) {
    self.snapshots = snapshots
    self.seq = seq
    self.keptAfter = keptAfter
    self.events = events
  }
}

extension Engine {
  /// Maximum number of batches of events that wait for a subscriber; beyond it the oldest are
  /// dropped.
  private static let mostWaiting = 1024

  /// Subscribes to all events.
  ///
  /// The subscription ends when its stream is no longer read.
  ///
  /// - Parameter limit: Maximum number of jobs in the snapshot: first the newest jobs that are not
  ///   over, then the newest ended jobs; nil for no snapshot.
  /// - Returns: The subscription.
  /// - Throws: `journal`.
  @concurrent package nonisolated func subscribe(
    newest limit: Int?
  ) async throws(InstallationError) -> EngineSubscription {
    let start = try await beginSubscription(newest: limit ?? 0)
    guard let limit else { return start }
    let room = min(limit - start.snapshots.count, Self.mostEnded)
    return EngineSubscription(
      snapshots: try adding(room, to: start.snapshots, includingCleanedUp: false),
      seq: start.seq, keptAfter: start.keptAfter, events: start.events)
  }

  private func beginSubscription(
    newest limit: Int
  ) throws(InstallationError) -> EngineSubscription {
    // Without expected times: they change with every event, and subscribers compute them.
    let snapshots = liveSnapshots(newest: limit, isForeseen: false)
    let (events, continuation) = AsyncStream.makeStream(
      of: [JobEvent].self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
    let number = nextObserver
    nextObserver += 1
    subscribers[number] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(number) }
    }
    return EngineSubscription(
      snapshots: snapshots, seq: journal.lastSeq, keptAfter: try journal.keptAfter(),
      events: events)
  }

  private func unsubscribe(_ number: Int) { subscribers[number] = nil }

  /// Durable events after a number, at most `limit`.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event.
  package func events(after seq: Int, limit: Int) throws(InstallationError) -> [JobEvent] {
    try journal.events(after: seq, limit: limit)
  }

  /// Durable events of one job after a number, at most `limit`; empty after the job's last event.
  ///
  /// Reads the journal on the caller's thread, so that a long recording does not delay the engine.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event, or a negative
  ///   number or limit.
  package nonisolated func events(
    of id: JobID, after seq: Int, limit: Int
  ) throws(InstallationError) -> [JobEvent] {
    let events = try journal.events(after: seq, limit: limit, of: id)
    // Throws for an unknown job; a known job without further events returns an empty list.
    if events.isEmpty { _ = try journal.job(id, withPlan: false) }
    return events
  }

  /// Identifies this journal.
  ///
  /// Event numbers are valid only within one journal.
  package nonisolated var epoch: String { journal.epoch }

  /// Number of the last durable event.
  package nonisolated var lastSeq: Int { journal.lastSeq }

  /// The job's snapshots; see ``InstallationBackend/snapshots(of:)``.
  package func snapshots(of id: JobID) -> JobSnapshots {
    let (snapshots, source) = JobSnapshots.make()
    guard let snapshot = snapshot(of: id) else {
      do throws(InstallationError) {
        source.yield(try journal.job(id, withPlan: true))
        source.finish()
      } catch {
        source.finish(throwing: error)
      }
      return snapshots
    }
    source.yield(snapshot)
    let number = nextObserver
    nextObserver += 1
    observers[id, default: [:]][number] = source
    source.onEnd { [weak self] in Task { await self?.stopObserving(id, number) } }
    return snapshots
  }

  private func stopObserving(_ id: JobID, _ number: Int) {
    observers[id]?[number] = nil
    if observers[id]?.isEmpty == true { observers[id] = nil }
  }
}

extension Engine {
  /// Waits until no job is at work and none will start by itself.
  ///
  /// Paused jobs do not count, nor do jobs that wait for the end of a paused job, jobs behind a job
  /// that was paused during its work, and jobs in a paused queue. These jobs stay in the journal
  /// until a user resumes them, under this engine or the next.
  ///
  /// - Parameter endsWithStateFolder: Whether to return also when an event cannot be recorded
  ///   because the state folder is gone for good.
  package func untilIdle(orStateIsGone endsWithStateFolder: Bool = false) async {
    guard !isIdle else { return }
    self.endsWithStateFolder = self.endsWithStateFolder || endsWithStateFolder
    await withCheckedContinuation { idleWaiters.append($0) }
  }

  /// Resumes the callers of ``untilIdle(orStateIsGone:)`` if the engine is idle.
  func notifyIfIdle() {
    guard !idleWaiters.isEmpty, isIdle else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Resumes the callers of ``untilIdle(orStateIsGone:)`` if the state folder is gone.
  func notifyIfStateIsGone() {
    guard endsWithStateFolder, unsafe access(settings.stateFolder, F_OK) != 0 else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Whether all jobs are over.
  package var isEmpty: Bool { live.isEmpty }

  /// Whether no job is at work and none will start by itself; see ``untilIdle(orStateIsGone:)``.
  package var isIdle: Bool {
    guard let running = queue.running else {
      return queue.requestedPause != nil || queue.isDormant
    }
    return live[running]?.machine.state == .suspended
  }
}

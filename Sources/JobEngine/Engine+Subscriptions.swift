internal import Glibc
package import InstallJobs
import JobJournal

/// What a subscriber gets: how things stand, and everything from there on.
package struct EngineSubscription: Sendable {
  /// Jobs that are not cleaned up, oldest first, without plans, as of `seq`.
  package let snapshots: [JobSnapshot]
  /// The number of the last durable event that the snapshots contain.
  package let seq: Int
  /// Events after `seq`, in order; durable ones without gaps unless the reader is far behind: then
  /// the oldest are missing, which shows in the numbers, and are read from the journal.
  package let events: AsyncStream<[JobEvent]>

  /// The number of the last durable event that is not kept any more.
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
  /// The most batches of events that wait for a subscriber before the oldest are dropped.
  private static let mostWaiting = 1024

  /// Subscribes to everything; the subscription ends when its stream is no longer read.
  ///
  /// - Parameter limit: How many jobs come in the snapshot at most: the newest that are not over,
  ///   then the newest that are; nil for no snapshot at all.
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
    // Who subscribes adds up by himself when jobs begin: it changes with all that happens.
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

  /// Durable events of one job after a number, at most `limit`; empty behind its last one.
  ///
  /// Reads the journal on the caller's thread: a long recording keeps no job waiting.
  ///
  /// - Throws: `unknownJob`; `invalidArgument` for a number beyond the last event, or a negative
  ///   number or limit.
  package nonisolated func events(
    of id: JobID, after seq: Int, limit: Int
  ) throws(InstallationError) -> [JobEvent] {
    let events = try journal.events(after: seq, limit: limit, of: id)
    // A job of which nothing more is known is told from one that is not there.
    if events.isEmpty { _ = try journal.job(id, withPlan: false) }
    return events
  }

  /// Names this journal: numbers of events mean nothing in another one.
  package nonisolated var epoch: String { journal.epoch }

  /// The number of the last durable event.
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
  /// Waits until nothing is at work and nothing will be by itself.
  ///
  /// A job that is held does not count, nor do those that wait for its end, that stand behind one
  /// that is held in its work, or in a queue that somebody paused: they stay in the journal for
  /// whoever lets them go on, under this engine or the next.
  ///
  /// - Parameter endsWithStateFolder: Whether to return as well when something cannot be recorded because
  ///   the state folder is gone: it will not come back.
  package func untilIdle(orStateIsGone endsWithStateFolder: Bool = false) async {
    guard !isIdle else { return }
    self.endsWithStateFolder = self.endsWithStateFolder || endsWithStateFolder
    await withCheckedContinuation { idleWaiters.append($0) }
  }

  /// Wakes up who waits for ``untilIdle(orStateIsGone:)``.
  func notifyIfIdle() {
    guard !idleWaiters.isEmpty, isIdle else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Wakes up who waits for ``untilIdle(orStateIsGone:)`` where nothing can be recorded any more.
  func notifyIfStateIsGone() {
    guard endsWithStateFolder, unsafe access(settings.stateFolder, F_OK) != 0 else { return }
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Whether every job is over: none is at work, waits or is held.
  package var isEmpty: Bool { live.isEmpty }

  /// Whether nothing works and nothing will by itself; jobs may be open, see ``untilIdle(orStateIsGone:)``.
  package var isIdle: Bool {
    guard let running = queue.running else {
      return queue.requestedPause != nil || queue.isDormant
    }
    return live[running]?.machine.state == .suspended
  }
}

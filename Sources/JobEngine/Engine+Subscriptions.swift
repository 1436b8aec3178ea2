package import InstallJobs
import JobJournal

/// What a subscriber gets: how things stand, and everything from there on.
package struct EngineSubscription: Sendable {
  /// The jobs that are not cleaned up, oldest first, without plans, as of `seq`.
  package let snapshots: [JobSnapshot]
  /// The number of the last durable event that the snapshots contain.
  package let seq: Int
  /// Events after `seq`, in order; durable ones without gaps unless the reader is far behind: then
  /// the oldest are missing, which shows in the numbers, and are read from the journal.
  package let events: AsyncStream<[JobEvent]>

  package init(snapshots: [JobSnapshot], seq: Int, events: AsyncStream<[JobEvent]>) {
    self.snapshots = snapshots
    self.seq = seq
    self.events = events
  }
}

extension Engine {
  /// The most batches of events that wait for a subscriber before the oldest are dropped.
  private static let mostWaiting = 1024

  /// Subscribes to everything; the subscription ends when its stream is no longer read.
  package func subscribe() throws(InstallationError) -> EngineSubscription {
    let (events, continuation) = AsyncStream.makeStream(
      of: [JobEvent].self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
    let number = nextObserver
    nextObserver += 1
    subscribers[number] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.unsubscribe(number) }
    }
    var snapshots = try journal.jobs()
    for index in snapshots.indices {
      if let current = snapshot(of: snapshots[index].id) { snapshots[index] = current.withoutPlan }
    }
    return EngineSubscription(snapshots: snapshots, seq: journal.lastSeq, events: events)
  }

  private func unsubscribe(_ number: Int) { subscribers[number] = nil }

  /// Durable events after a number, at most `limit`.
  ///
  /// - Throws: `invalidArgument` for a number beyond the last event.
  package func events(after seq: Int, limit: Int) throws(InstallationError) -> [JobEvent] {
    try journal.events(after: seq, limit: limit)
  }

  /// Names this journal: numbers of events mean nothing in another one.
  package nonisolated var epoch: String { journal.epoch }

  /// The number of the last durable event.
  package nonisolated var lastSeq: Int { journal.lastSeq }

  /// The job's snapshots; see ``InstallationBackend/snapshots(of:)``.
  package func snapshots(of id: JobID) -> AsyncStream<JobSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: JobSnapshot.self, bufferingPolicy: .bufferingNewest(1))
    guard let snapshot = snapshot(of: id) else {
      if let stored = try? journal.job(id, withPlan: true) { continuation.yield(stored) }
      continuation.finish()
      return stream
    }
    continuation.yield(snapshot)
    let number = nextObserver
    nextObserver += 1
    observers[id, default: [:]][number] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { await self?.stopObserving(id, number) }
    }
    return stream
  }

  private func stopObserving(_ id: JobID, _ number: Int) {
    observers[id]?[number] = nil
    if observers[id]?.isEmpty == true { observers[id] = nil }
  }
}

extension Engine {
  /// Waits until no job is waiting or at work; suspended jobs count as at work.
  package func untilIdle() async {
    while !live.isEmpty {
      guard let id = live.keys.min() else { return }
      for await _ in snapshots(of: id) where live[id] == nil { break }
    }
  }
}

internal import InstallJobs
internal import JobClient
internal import JobWire
internal import Synchronization

/// A client that follows an engine's events, goes on with each new engine where it was, and keeps
/// record.
final class EventFollower: Sendable {
  private let known = Mutex(EventRecord())
  private let reading = Mutex<Task<Void, Never>?>(nil)

  deinit { reading.withLock { $0?.cancel() } }

  /// What was seen up to now.
  var record: EventRecord { known.withLock { $0 } }

  /// Whether a job's end was seen.
  func hasEnded(_ job: JobID) -> Bool { known.withLock { $0.outcome(of: job) != nil } }

  /// The last state of a job that was seen.
  func state(of job: JobID) -> JobState? { known.withLock { $0.state(of: job) } }

  /// Follows an engine from the last event seen on, once all of the old one's were read.
  ///
  /// - Throws: What the engine refuses the subscription with.
  func follow(_ connection: EngineConnection) async throws {
    await reading.withLock { $0 }?.value
    let reached = known.withLock { $0.reached }
    let events = try await connection.subscribe(SubscribeRequest(from: reached))
    let task = Task { [weak self] in
      do {
        for try await case .event(let event) in events {
          self?.known.withLock { $0.apply(event) }
        }
      } catch {
        // The engine is gone; the next one is followed from here.
      }
    }
    reading.withLock { $0 = task }
  }

  /// Waits until something is true, looking every few milliseconds.
  ///
  /// - Returns: Whether it came true in time.
  static func wait(
    within patience: Duration, until condition: () async -> Bool
  ) async throws -> Bool {
    let limit = ContinuousClock.now + patience
    while true {
      if await condition() { return true }
      guard ContinuousClock.now < limit else { return false }
      try await Task.sleep(for: .milliseconds(4))
    }
  }

  /// What the engine says of a job whose end was not seen, and what was seen.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - backend: The engine.
  ///   - state: The engine's state folder.
  /// - Returns: A sentence.
  /// - Throws: What the engine refuses it with.
  func standing(of job: JobID, by backend: EngineBackend, state: String) async throws -> String {
    let snapshot = try await backend.job(job)
    let seq = try await backend.status().seq
    let work = ProcessTable.all().worker(of: "\(state)/jobs/\(job)")
    return "job \(job) is \(snapshot.state), \(snapshot.percentComplete) %, event"
      + " \(record.reached) of \(seq) was seen, "
      + (work.map { "its worker is process \($0.process)" } ?? "it has no worker")
  }

  /// Reads the whole journal of an engine, to the event that is its last now.
  ///
  /// - Throws: What the engine refuses it with.
  static func journal(of connection: EngineConnection) async throws -> [JobEvent] {
    let last = try await EngineBackend(connection).status().seq
    var all: [JobEvent] = []
    guard last > 0 else { return all }
    let events = try await connection.subscribe(SubscribeRequest(from: 0))
    for try await case .event(let event) in events where event.payload.isDurable {
      all.append(event)
      if event.seq >= last { break }
    }
    return all
  }
}

internal import InstallJobs
internal import JobWire

/// Follows any number of jobs over one subscription.
///
/// The subscription delivers the events of all jobs and is open only while a job is followed. The
/// first snapshots come from a short second subscription, for up to 64 jobs at a time. The numbers
/// of durable events put both in one order.
actor JobFollower {
  /// One follower of a job.
  private struct Reader {
    let job: JobID
    /// The receiver of the snapshot and the events.
    let source: JobSnapshots.Source
    /// Resumes the caller of ``follow(_:into:)`` at the end.
    let end: CheckedContinuation<InstallationError?, Never>
    var stage = Stage.joining(early: [])

    /// Progress of the first snapshot.
    enum Stage {
      /// The snapshot has not come; `early` holds the events since the start.
      case joining(early: [JobEvent])
      /// The snapshot has not come, and the kept events exceeded ``earlyEventLimit``.
      case overrun
      /// The snapshot was delivered; it includes durable events up to the number `base`.
      case joined(base: Int)
    }
  }

  /// Largest number of jobs in one request for first snapshots.
  private static let snapshotBatchSize = 64
  /// Pause before a request that the engine refused as `busy` is repeated.
  private static let pauseWhenBusy = Duration.seconds(1)
  /// Largest number of events kept for readers without a snapshot.
  private static let earlyEventLimit = 32 << 10

  private let connection: EngineConnection
  private var readers: [Int: Reader] = [:]
  private var readersOfJobs: [JobID: Set<Int>] = [:]
  private var lastReader = 0
  /// Readers without a snapshot, in order of arrival; may include readers that have ended.
  private var joining: [Int] = []
  /// Number of events kept for readers without a snapshot.
  private var earlyCount = 0
  private var isJoining = false
  private var following: Task<Void, Never>?
  /// Number of the current subscription to all jobs.
  ///
  /// Events of earlier subscriptions are ignored.
  private var generation = 0
  private var isOpen = false

  init(_ connection: EngineConnection) { self.connection = connection }

  /// Follows a job until it has ended or the task is cancelled.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - source: The receiver of the job's snapshot and events.
  /// - Throws: `unknownJob`; `engineUnreachable` if the connection ends first.
  func follow(
    _ job: JobID, into source: JobSnapshots.Source
  ) async throws(InstallationError) {
    lastReader += 1
    let number = lastReader
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<InstallationError?, Never>) in
        // The cancellation handler of a cancelled task has run already.
        guard !Task.isCancelled else { return continuation.resume(returning: nil) }
        readers[number] = Reader(job: job, source: source, end: continuation)
        readersOfJobs[job, default: []].insert(number)
        joining.append(number)
        if following == nil { subscribe() } else if isOpen { join() }
      }
    } onCancel: {
      Task { await self.end(number) }
    }
    if let failure { throw failure }
  }

  private func end(_ number: Int, _ error: InstallationError? = nil) {
    guard let reader = readers.removeValue(forKey: number) else { return }
    if case .joining(let early) = reader.stage { earlyCount -= early.count }
    readersOfJobs[reader.job]?.remove(number)
    if readersOfJobs[reader.job]?.isEmpty == true { readersOfJobs[reader.job] = nil }
    reader.end.resume(returning: error)
    guard readers.isEmpty else { return }
    following?.cancel()
    following = nil
    isOpen = false
    joining = []
  }

  // MARK: Events

  private func subscribe() {
    generation += 1
    let generation = generation
    following = Task {
      do throws(InstallationError) {
        let events = try await connection.subscribe(
          SubscribeRequest(window: 0), isReserved: true)
        for try await element in events {
          switch element {
          case .jobs: continue
          case .jobsEnd: open(generation)
          case .event(let event): apply([event], generation)
          case .progress(let events): apply(events, generation)
          }
        }
      } catch {
        fail(error, generation)
      }
    }
  }

  private func open(_ generation: Int) {
    guard generation == self.generation, !isOpen else { return }
    isOpen = true
    join()
  }

  private func fail(_ error: InstallationError, _ generation: Int) {
    guard generation == self.generation else { return }
    let failed = readers.values
    (readers, readersOfJobs, joining, earlyCount) = ([:], [:], [], 0)
    (following, isOpen) = (nil, false)
    for reader in failed { reader.end.resume(returning: error) }
  }

  private func apply(_ events: [JobEvent], _ generation: Int) {
    guard generation == self.generation else { return }
    for event in events {
      guard let job = event.job else { continue }
      // A reader that gets the final event is removed during this loop.
      for number in readersOfJobs[job] ?? [] { apply(event, number) }
    }
  }

  private func apply(_ event: JobEvent, _ number: Int) {
    switch readers[number]?.stage {
    case .joining(var early):
      if case .log = event.payload { return }
      guard earlyCount < Self.earlyEventLimit else {
        earlyCount -= early.count
        readers[number]?.stage = .overrun
        return
      }
      // Release the stored list before appending: a second reference would copy it.
      readers[number]?.stage = .overrun
      early.append(event)
      earlyCount += 1
      readers[number]?.stage = .joining(early: early)
    case .joined(let base): deliver(event, after: base, to: number)
    case .overrun, nil: break
    }
  }

  private func deliver(_ event: JobEvent, after base: Int, to number: Int) {
    // Progress repeats the number of the last durable event.
    guard event.payload.isDurable ? event.seq > base : event.seq >= base else { return }
    if readers[number]?.source.apply(event) == true { end(number) }
  }

  // MARK: First snapshots

  private func join() {
    guard !isJoining, !joining.isEmpty else { return }
    isJoining = true
    Task {
      while isOpen, !joining.isEmpty { await fetchSnapshots() }
      isJoining = false
    }
  }

  private func fetchSnapshots() async {
    let numbers = Array(joining.prefix(Self.snapshotBatchSize))
    joining.removeFirst(numbers.count)
    let jobs = Set(numbers.compactMap { readers[$0]?.job }).sorted()
    do throws(InstallationError) {
      begin(numbers, from: try await snapshots(of: jobs))
    } catch {
      if error.code == .busy {
        // The engine has no memory budget for the snapshots now.
        guard (try? await Task.sleep(for: Self.pauseWhenBusy)) != nil else {
          return refuse(numbers, error)
        }
        joining.append(contentsOf: numbers.filter { readers[$0] != nil })
        return
      }
      guard jobs.count > 1, error.code == .unknownJob else { return refuse(numbers, error) }
      // An unknown job must not fail the other jobs: ask for each job separately.
      for job in jobs {
        let alike = numbers.filter { readers[$0]?.job == job }
        do throws(InstallationError) {
          begin(alike, from: try await snapshots(of: [job]))
        } catch {
          refuse(alike, error)
        }
      }
    }
  }

  private func refuse(_ numbers: [Int], _ error: InstallationError) {
    for number in numbers { end(number, error) }
  }

  /// Snapshots of jobs with their plans, and the number of the last durable event that they
  /// include.
  private func snapshots(
    of jobs: [JobID]
  ) async throws(InstallationError) -> (rows: [JobID: JobSnapshot], seq: Int) {
    guard !jobs.isEmpty else { return ([:], 0) }
    var rows: [JobID: JobSnapshot] = [:]
    let events = try await connection.subscribe(
      SubscribeRequest(jobs: jobs, plans: true), isReserved: true)
    for try await element in events {
      switch element {
      case .jobs(let some): for row in some { rows[row.id] = row }
      case .jobsEnd(let seq): return (rows, seq)
      case .event, .progress: continue
      }
    }
    throw await connection.reason
  }

  private func begin(
    _ numbers: [Int], from standing: (rows: [JobID: JobSnapshot], seq: Int)
  ) {
    for number in numbers {
      guard let reader = readers[number] else { continue }
      guard let row = standing.rows[reader.job] else {
        // Not reported as a lost connection, because a new connection would give the same result.
        end(number, connection.mismatch("it does not tell how job \(reader.job) stands"))
        continue
      }
      switch reader.stage {
      case .joined: break
      case .overrun:
        // A later snapshot includes the events that were not kept.
        readers[number]?.stage = .joining(early: [])
        joining.append(number)
      case .joining(let early):
        earlyCount -= early.count
        readers[number]?.stage = .joined(base: standing.seq)
        reader.source.yield(row)
        if row.state.isFinal { end(number) }
        for event in early { deliver(event, after: standing.seq, to: number) }
      }
    }
  }
}

internal import InstallJobs
internal import JobWire

/// Follows any number of jobs over one subscription of a connection.
///
/// The subscription brings what happens to every job, and is open only while a job is followed. How
/// a job stands when it begins to be followed comes, many jobs at a time, from a short subscription to
/// these jobs alone: both count by the numbers of durable events.
actor JobFollower {
  /// One sequence of a job's snapshots.
  private struct Reader {
    let job: JobID
    let source: JobSnapshots.Source
    /// How the job stands; nil until the engine has answered.
    var snapshot: JobSnapshot?
    /// The number of the last durable event that the first snapshot contains.
    var base = 0
    /// What happened before the first snapshot came.
    var early: [JobEvent] = []

    /// Whether the first snapshot does not contain an event yet.
    func isNews(_ event: JobEvent) -> Bool {
      event.payload.isDurable ? event.seq > base : event.seq >= base
    }
  }

  /// The most jobs whose first snapshots are asked for together.
  private static let mostTogether = 64
  /// The most events that are kept for a job whose first snapshot has not come.
  private static let mostEarly = 1024

  private let connection: EngineConnection
  private var readers: [Int: Reader] = [:]
  private var readersOfJobs: [JobID: Set<Int>] = [:]
  private var lastReader = 0
  /// Readers without a snapshot, in the order in which they came.
  private var joining: [Int] = []
  private var isJoining = false
  private var following: Task<Void, Never>?
  /// Counts subscriptions to everything: what an earlier one still brings is not used.
  private var generation = 0
  private var isOpen = false

  init(_ connection: EngineConnection) { self.connection = connection }

  /// Follows a job.
  func snapshots(of job: JobID) -> JobSnapshots {
    let (snapshots, source) = JobSnapshots.make()
    lastReader += 1
    let number = lastReader
    readers[number] = Reader(job: job, source: source)
    readersOfJobs[job, default: []].insert(number)
    joining.append(number)
    source.onEnd { [weak self] in Task { await self?.forget(number) } }
    if following == nil { follow() } else if isOpen { join() }
    return snapshots
  }

  private func forget(_ number: Int) {
    guard let reader = readers.removeValue(forKey: number) else { return }
    readersOfJobs[reader.job]?.remove(number)
    if readersOfJobs[reader.job]?.isEmpty == true { readersOfJobs[reader.job] = nil }
    joining.removeAll { $0 == number }
    guard readers.isEmpty else { return }
    following?.cancel()
    following = nil
    isOpen = false
  }

  // MARK: What happens

  private func follow() {
    generation += 1
    let generation = generation
    following = Task {
      do throws(InstallationError) {
        let events = try await connection.subscribe(SubscribeParameters(window: 0))
        for try await element in events {
          switch element {
          case .rows: continue
          case .rowsEnd: open(generation)
          case .event(let event): apply([event], generation)
          case .ticks(let events): apply(events, generation)
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
    let sources = readers.values.map(\.source)
    (readers, readersOfJobs, joining) = ([:], [:], [])
    (following, isOpen) = (nil, false)
    for source in sources { source.finish(throwing: error) }
  }

  private func apply(_ events: [JobEvent], _ generation: Int) {
    guard generation == self.generation else { return }
    for event in events {
      guard let job = event.job else { continue }
      // Those that get the final snapshot leave meanwhile.
      for number in readersOfJobs[job] ?? [] { apply(event, number) }
    }
  }

  private func apply(_ event: JobEvent, _ number: Int) {
    guard let reader = readers[number] else { return }
    guard reader.snapshot != nil else {
      if case .log = event.payload { return }
      // One more than may be kept says that some are missing.
      guard reader.early.count <= Self.mostEarly else { return }
      readers[number]?.early.append(event)
      return
    }
    guard reader.isNews(event) else { return }
    readers[number]?.snapshot?.apply(event)
    deliver(number)
  }

  private func deliver(_ number: Int) {
    guard let reader = readers[number], let snapshot = reader.snapshot else { return }
    reader.source.yield(snapshot)
    guard snapshot.state.isFinal else { return }
    reader.source.finish()
    forget(number)
  }

  // MARK: How a job stands

  private func join() {
    guard !isJoining, !joining.isEmpty else { return }
    isJoining = true
    Task {
      while isOpen, !joining.isEmpty { await joinSome() }
      isJoining = false
    }
  }

  private func joinSome() async {
    let numbers = Array(joining.prefix(Self.mostTogether))
    joining.removeFirst(numbers.count)
    let jobs = Set(numbers.compactMap { readers[$0]?.job }).sorted()
    do throws(InstallationError) {
      try await begin(numbers, from: try await standing(of: jobs))
    } catch {
      guard jobs.count > 1 else { return refuse(numbers, error) }
      // One job that is not there is no reason for the others.
      for job in jobs {
        let alike = numbers.filter { readers[$0]?.job == job }
        do throws(InstallationError) {
          try await begin(alike, from: try await standing(of: [job]))
        } catch {
          refuse(alike, error)
        }
      }
    }
  }

  private func refuse(_ numbers: [Int], _ error: InstallationError) {
    for number in numbers {
      readers[number]?.source.finish(throwing: error)
      forget(number)
    }
  }

  /// How jobs stand, with their plans, and the number of the last durable event that this contains.
  private func standing(
    of jobs: [JobID]
  ) async throws(InstallationError) -> (rows: [JobID: JobSnapshot], seq: Int) {
    guard !jobs.isEmpty else { return ([:], 0) }
    var rows: [JobID: JobSnapshot] = [:]
    let events = try await connection.subscribe(SubscribeParameters(jobs: jobs, plans: true))
    for try await element in events {
      switch element {
      case .rows(let some): for row in some { rows[row.id] = row }
      case .rowsEnd(let seq): return (rows, seq)
      case .event, .ticks: continue
      }
    }
    throw await connection.reason
  }

  private func begin(
    _ numbers: [Int], from standing: (rows: [JobID: JobSnapshot], seq: Int)
  ) async throws(InstallationError) {
    for number in numbers {
      guard let reader = readers[number] else { continue }
      guard let row = standing.rows[reader.job] else { throw await connection.reason }
      guard reader.early.count <= Self.mostEarly else {
        // Too much to keep happened meanwhile: a later snapshot contains it.
        readers[number]?.early = []
        joining.append(number)
        continue
      }
      readers[number]?.snapshot = row
      readers[number]?.base = standing.seq
      readers[number]?.early = []
      for event in reader.early where readers[number]?.isNews(event) == true {
        readers[number]?.snapshot?.apply(event)
      }
      deliver(number)
    }
  }
}

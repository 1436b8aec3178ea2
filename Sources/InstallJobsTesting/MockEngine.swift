public import InstallJobs

/// An engine for tests of programs that use InstallJobs: nothing is installed, no process is started, and
/// every job goes as the test says.
///
/// ```swift
/// let engine = MockEngine()
/// await engine.setOutcome(.fails("post-installation script, exit status 1"), of: "bad")
/// let session = UpdateSession(engine: engine, clientName: "test")
/// let result = try await session.makeInstaller().install([Update("good"), Update("bad")])
/// #expect(result.code == .succeededWithErrors)
/// ```
///
/// Each package that is asked for is installed after its dependencies, one job after another. Jobs play by
/// themselves, or with `isPaced` one step at each ``advance()``. The contract is the engine's: validation,
/// order of callbacks, abort between two packages, results, clean up. What it does not have: time (all of
/// it is the same moment), downloads, locks, logs.
public actor MockEngine {
  /// How a package ends.
  public enum Outcome: Sendable, Hashable {
    /// It is installed, or removed.
    case succeeds
    /// It is done, and asks for a restart of the machine.
    case requiresReboot
    /// It fails; the text is the error's detail.
    case fails(String)
  }

  /// What a package depends on, how it ends, and the version it has.
  struct Package {
    var dependencies: [String] = []
    var outcome = Outcome.succeeds
    var version = "1.0"
  }

  /// The journal's name.
  package nonisolated let epoch = "mock"
  /// Whether jobs go on only at ``advance()``.
  let isPaced: Bool
  var packages: [String: Package] = [:]
  var installed: [String: String] = [:]
  var jobs: [MockJob] = []
  var journal: [JobEvent] = []
  var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  var readers: [JobID: [Int: JobSnapshots.Source]] = [:]
  var listeners: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
  var lastNumber = 0
  /// The sessions that read, by the numbers of subscribers, readers and listeners.
  var owners: [Int: ObjectIdentifier] = [:]
  var pause: QueuePause?
  var refusal: InstallationError?
  var loss: InstallationError?
  private var isPlaying = false

  /// - Parameter isPaced: Whether jobs go on only at ``advance()``; else they play to their end by
  ///   themselves.
  public init(isPaced: Bool = false) { self.isPaced = isPaced }

  // MARK: What the test says

  /// Says how a package ends from now on; of a package that nothing was said of: it succeeds.
  public func setOutcome(_ outcome: Outcome, of package: String) {
    packages[package, default: Package()].outcome = outcome
  }

  /// Says which packages are installed before a package, in this order, when they are not there yet.
  public func setDependencies(_ names: [String], of package: String) {
    packages[package, default: Package()].dependencies = names
  }

  /// Says which version of a package can be had; `1.0` of one that nothing was said of.
  public func setVersion(_ version: String, of package: String) {
    packages[package, default: Package()].version = version
  }

  /// Says that a package is installed.
  public func setInstalled(_ package: String, version: String = "1.0") {
    installed[package] = version
  }

  /// Refuses every submission and plan with an error from now on; nil refuses no more.
  public func refuse(with error: InstallationError?) { refusal = error }

  /// Goes away: sessions and jobs in hand hear that the engine is gone, and every request fails.
  public func goAway() {
    let error = InstallationError(
      .engineUnreachable, "the engine went away", class: .transient,
      hint: "jobs go on without it")
    loss = error
    for listener in listeners.values { listener.yield(.lost(error)) }
    for subscriber in subscribers.values { subscriber.finish() }
    for sources in readers.values {
      for source in sources.values { source.finish(throwing: error) }
    }
    (subscribers, readers) = ([:], [:])
  }

  /// Is there again after ``goAway()``.
  ///
  /// Jobs in hand are not followed on: what a session does about an engine that comes back is the session's,
  /// and this one has none.
  public func comeBack() {
    loss = nil
    for listener in listeners.values { listener.yield(.connected) }
  }

  /// Does the next step of the job that has its turn.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func advance() -> Bool {
    guard let index = nextJob else { return false }
    let id = jobs[index].snapshot.id
    let payload = jobs[index].nextEvent(in: packages)
    publish(payload, of: id)
    if case .completed = payload { recordEnd(of: jobs[index].snapshot) }
    return true
  }

  /// Plays every job to its end, as far as none is paused.
  public func finish() { while advance() {} }

  // MARK: Parts

  /// Ends everything that a session reads.
  func end(_ session: MockSession) {
    for number in owners.filter({ $0.value == ObjectIdentifier(session) }).keys {
      owners[number] = nil
      listeners[number]?.yield(.closed)
      listeners.removeValue(forKey: number)?.finish()
      subscribers.removeValue(forKey: number)?.finish()
      for job in readers.keys {
        readers[job]?.removeValue(forKey: number)?.finish(throwing: MockSession.closed)
      }
    }
  }

  /// Plays what there is to play, unless the test does.
  func play() {
    guard !isPaced, !isPlaying else { return }
    isPlaying = true
    Task {
      // Step by step, so that acts of callers come in between.
      while advance() { await Task.yield() }
      isPlaying = false
      if nextJob != nil { play() }
    }
  }

  /// The job that goes on: the one that has begun, else the first of the queue.
  private var nextJob: Int? {
    if let index = jobs.firstIndex(where: { $0.isAtWork }) {
      return jobs[index].isSuspended ? nil : index
    }
    guard pause == nil else { return nil }
    let waiting = jobs.indices.filter { jobs[$0].canBegin }
    return waiting.min { left, right in
      let (one, other) = (jobs[left].snapshot, jobs[right].snapshot)
      return (-one.options.priority, one.id) < (-other.options.priority, other.id)
    }
  }

  /// Numbers an event, applies it, and hands it to everybody who follows.
  func publish(_ payload: JobEvent.Payload, of id: JobID?) {
    let seq = payload.isDurable ? journal.count + 1 : journal.count
    let event = JobEvent(seq: seq, at: MockJob.time, job: id, payload: payload)
    if payload.isDurable { journal.append(event) }
    if let id, let index = jobs.firstIndex(where: { $0.snapshot.id == id }) {
      jobs[index].snapshot.apply(event)
      jobs[index].countSteps()
      for (number, source) in readers[id] ?? [:] {
        source.yield(jobs[index].snapshot)
        guard jobs[index].snapshot.state.isFinal else { continue }
        source.finish()
        readers[id]?[number] = nil
      }
    }
    for subscriber in subscribers.values { subscriber.yield([event]) }
  }

  private func recordEnd(of job: JobSnapshot) {
    guard !job.options.isDownloadOnly else { return }
    for status in job.plan ?? [] where status.resultCode == .succeeded {
      installed[status.name] = status.planned.toVersion
    }
  }
}

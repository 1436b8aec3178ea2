public import InstallJobs

/// An engine for tests of programs that use InstallJobs.
///
/// It installs nothing and starts no process; every job behaves as the test specifies.
///
/// ```swift
/// let engine = MockEngine()
/// await engine.setOutcome(.fails("post-installation script, exit status 1"), of: "bad")
/// let session = UpdateSession(engine: engine, clientName: "test")
/// let result = try await session.makeInstaller().install([Update("good"), Update("bad")])
/// #expect(result.code == .succeededWithErrors)
/// ```
///
/// The engine installs each requested package after its dependencies, one job at a time. Jobs run
/// by themselves, or with `isPaced` one step for each call of ``advance()``. The mock engine keeps
/// the contract of the real engine: validation, order of callbacks, abort between two packages,
/// results, clean up. It has no clock (all times are equal), no downloads, no locks and no logs.
public actor MockEngine {
  /// The outcome of a package.
  public enum Outcome: Sendable, Hashable {
    /// The package is installed or removed.
    case succeeds
    /// The package is installed or removed, and asks for a restart of the machine.
    case requiresReboot
    /// The package fails; the text is the error's detail.
    case fails(String)
  }

  /// The dependencies, the outcome and the version of a package.
  struct Package {
    var dependencies: [String] = []
    var outcome = Outcome.succeeds
    var version = "1.0"
  }

  /// The name of the journal.
  package nonisolated let epoch = "mock"
  /// Whether jobs advance only by ``advance()``.
  let isPaced: Bool
  var packages: [String: Package] = [:]
  var installed: [String: String] = [:]
  var jobs: [MockJob] = []
  var journal: [JobEvent] = []
  var subscribers: [Int: AsyncStream<[JobEvent]>.Continuation] = [:]
  var readers: [JobID: [Int: JobSnapshots.Source]] = [:]
  var listeners: [Int: AsyncStream<ConnectionState>.Continuation] = [:]
  var lastNumber = 0
  /// The sessions of subscribers, readers and listeners, by their numbers.
  var owners: [Int: ObjectIdentifier] = [:]
  var pause: QueuePause?
  var refusal: InstallationError?
  var connectionError: InstallationError?
  private var isPlaying = false

  /// Creates an engine.
  ///
  /// - Parameter isPaced: Whether jobs advance only by ``advance()``; else they run to their end by
  ///   themselves.
  public init(isPaced: Bool = false) { self.isPaced = isPaced }

  // MARK: Control by the test

  /// Sets the outcome of a package from now on; the default is `succeeds`.
  public func setOutcome(_ outcome: Outcome, of package: String) {
    packages[package, default: Package()].outcome = outcome
  }

  /// Sets the dependencies of a package; missing ones are installed before it, in this order.
  public func setDependencies(_ names: [String], of package: String) {
    packages[package, default: Package()].dependencies = names
  }

  /// Sets the available version of a package; the default is `1.0`.
  public func setVersion(_ version: String, of package: String) {
    packages[package, default: Package()].version = version
  }

  /// Marks a package as installed.
  public func setInstalled(_ package: String, version: String = "1.0") {
    installed[package] = version
  }

  /// Refuses every submission and plan with an error from now on; nil accepts them again.
  public func refuse(with error: InstallationError?) { refusal = error }

  /// Disconnects the engine: sessions and followed jobs get the error, and every request fails.
  public func goAway() {
    let error = InstallationError(
      .engineUnreachable, "the engine went away", class: .transient,
      hint: "jobs go on without it")
    connectionError = error
    for listener in listeners.values { listener.yield(.lost(error)) }
    for subscriber in subscribers.values { subscriber.finish() }
    for sources in readers.values {
      for source in sources.values { source.finish(throwing: error) }
    }
    (subscribers, readers) = ([:], [:])
  }

  /// Reconnects the engine after ``goAway()``.
  ///
  /// Jobs followed before stay disconnected: following them again is the task of a real session,
  /// which the mock does not have.
  public func comeBack() {
    connectionError = nil
    for listener in listeners.values { listener.yield(.connected) }
  }

  /// Performs the next step of the job whose turn it is.
  ///
  /// - Returns: Whether there was a step.
  @discardableResult
  public func advance() -> Bool {
    guard let index = nextJob else { return false }
    let id = jobs[index].snapshot.id
    let payload = jobs[index].nextEvent(in: packages)
    publish(payload, of: id)
    if case .completed = payload { recordInstalledVersions(of: jobs[index].snapshot) }
    return true
  }

  /// Runs all jobs to their end, except those stopped by a pause.
  public func finish() { while advance() {} }

  // MARK: Internal

  /// Ends everything that a session reads.
  func endReading(_ session: MockSession) {
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

  /// Runs the jobs, unless the test advances them itself.
  func runJobs() {
    guard !isPaced, !isPlaying else { return }
    isPlaying = true
    Task {
      // Yields after each step, so that calls of the test come in between.
      while advance() { await Task.yield() }
      isPlaying = false
      if nextJob != nil { runJobs() }
    }
  }

  /// The index of the next job to advance: the started one, else the first of the queue.
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

  /// Numbers an event, applies it, and sends it to all followers.
  func publish(_ payload: JobEvent.Payload, of id: JobID?) {
    let seq = payload.isDurable ? journal.count + 1 : journal.count
    let event = JobEvent(seq: seq, at: MockJob.time, job: id, payload: payload)
    if payload.isDurable { journal.append(event) }
    if let id, let index = jobs.firstIndex(where: { $0.snapshot.id == id }) {
      jobs[index].snapshot.apply(event)
      jobs[index].updateProgress()
      for (number, source) in readers[id] ?? [:] {
        source.yield(jobs[index].snapshot)
        guard jobs[index].snapshot.state.isFinal else { continue }
        source.finish()
        readers[id]?[number] = nil
      }
    }
    for subscriber in subscribers.values { subscriber.yield([event]) }
  }

  private func recordInstalledVersions(of job: JobSnapshot) {
    guard !job.options.isDownloadOnly else { return }
    for status in job.plan ?? [] where status.resultCode == .succeeded {
      installed[status.name] = status.planned.toVersion
    }
  }
}

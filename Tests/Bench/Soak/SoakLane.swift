internal import InstallJobs
internal import JobClient

/// One engine that is given jobs for hours; each is cleaned up some time after its end.
actor SoakLane {
  /// What the jobs of a lane came to.
  struct Tally: Sendable, Hashable {
    /// Jobs that were seen to their end.
    var jobs = 0
    /// Jobs that were overtaken by the one before them, and say so.
    var overtaken = 0
    /// For each job, 1 where it did not end as it should.
    var wrong: [Int] = []
    /// Events lost and doubled.
    var lost = 0
    var doubled = 0
  }

  /// The engine's process.
  nonisolated let process: Int32
  private let engine: RunningEngine
  private let backend: EngineBackend
  private let connection: EngineConnection
  private let follower = EventFollower()
  private let packages: [String]
  private let root: (any ProvingRoot)?
  private let tell: @Sendable (String) -> Void
  private var numbers: Irregular
  private var tally = Tally()
  private var uncleaned: [JobID] = []
  private var isInstalling = true

  /// Jobs that are over and stay in the list before the eldest is cleaned up.
  private static let kept = 100
  /// Jobs that wait or work before the next one is submitted; on a root each is planned on what the
  /// one before it left.
  private var open: Int { root == nil ? 20 : 1 }

  /// Starts the engine.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - packages: What its jobs install and take away.
  ///   - root: The package root that it works on; nil for a scenario.
  ///   - seed: Where chance begins.
  ///   - tell: Takes what is wrong, in lines for people.
  /// - Throws: ``CannotMeasure`` when it does not come up.
  init(
    _ engine: RunningEngine, packages: [String], on root: (any ProvingRoot)? = nil, seed: UInt64,
    tell: @escaping @Sendable (String) -> Void
  ) async throws {
    self.engine = engine
    self.packages = packages
    self.root = root
    self.tell = tell
    numbers = Irregular(seed: seed)
    connection = try await engine.start()
    guard let process = await engine.process else { throw CannotMeasure("the engine is gone") }
    self.process = process
    backend = EngineBackend(connection)
    try await follower.follow(connection)
  }

  /// Submits so many jobs, evenly over a time or as fast as they are done.
  ///
  /// - Returns: What came of them, once all are over and cleaned up.
  /// - Throws: What the engine refuses; `CancellationError`.
  func run(_ count: Int, over length: Duration) async throws -> Tally {
    let start = ContinuousClock.now
    var submitted: [JobID] = []
    for index in 0..<count {
      try await Task.sleep(until: start + length * index / count)
      if index >= open { try await waitForEnd(of: submitted[index - open]) }
      let job = try await backend.submit(try await request())
      submitted.append(job.id)
      uncleaned.append(job.id)
      // Now and then somebody thinks better of it.
      if numbers.next(below: 25) == 0 { _ = try await backend.requestAbort(of: job.id) }
      while uncleaned.count > Self.kept { try await cleanUpEldest() }
    }
    while !uncleaned.isEmpty { try await cleanUpEldest() }
    tally.lost = follower.record.lost
    tally.doubled = follower.record.doubled
    return tally
  }

  /// Ends the engine as a service manager does.
  func stop() async { await engine.stop() }

  /// Installs some packages, or takes some away, in turns.
  private func request() async throws -> JobRequest {
    var options = InstallationOptions()
    options.clientName = "fettle-bench"
    defer { isInstalling.toggle() }
    let first = numbers.next(below: packages.count)
    var names = (0..<3).map { packages[(first + $0) % packages.count] }
    // On a root nothing can be left that needs what goes.
    if !isInstalling, let there = try await root?.installed().whole, !there.isEmpty {
      names = there.sorted()
    }
    return JobRequest(isInstalling ? .install : .purge, names.map { Update($0) }, options: options)
  }

  private func cleanUpEldest() async throws {
    let id = uncleaned.removeFirst()
    try await waitForEnd(of: id)
    let job = try await backend.job(id)
    let wasAborted = job.abort != nil && job.resultCode == .aborted
    // It was planned while others were still before it, and says so; on a root none was.
    let wasOvertaken = root == nil && job.error?.code == .planOutOfDate
    if wasOvertaken { tally.overtaken += 1 }
    if job.state.isFinal { tally.jobs += 1 }
    let isRight =
      job.state == .completed && (job.resultCode == .succeeded || wasAborted || wasOvertaken)
    if !isRight { tell("job \(id) is \(job.state) with \(job.resultCode)") }
    tally.wrong.append(isRight ? 0 : 1)
    try await backend.cleanUp(id)
  }

  private func waitForEnd(of job: JobID) async throws {
    let follower = follower
    guard try await EventFollower.wait(within: .seconds(600), until: { follower.hasEnded(job) })
    else { throw CannotMeasure("job \(job) does not end within ten minutes") }
  }
}

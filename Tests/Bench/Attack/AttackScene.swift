internal import Glibc
internal import InstallJobs
internal import JobClient
internal import Synchronization

/// An engine with a job that is over, and the client that behaves.
struct AttackScene: Sendable {
  let client: GoodClient
  /// How long the client asks.
  let length: Duration
  private let engine: RunningEngine
  private let over: JobID
  private let packages: [String]

  /// Has one job done.
  ///
  /// - Parameters:
  ///   - engine: The engine, which runs.
  ///   - connection: A connection of its user.
  ///   - packages: Packages that can be installed, three at least.
  ///   - length: How long the client asks.
  /// - Throws: ``CannotMeasure`` when the job does not end; what the engine refuses.
  init(
    _ engine: RunningEngine, _ connection: EngineConnection, packages: [String], length: Duration
  ) async throws {
    self.engine = engine
    self.packages = packages
    self.length = length
    client = GoodClient(backend: EngineBackend(connection))
    let backend = client.backend
    let job = try await backend.submit(JobRequest(.install, [Update(packages[0])])).id
    let refusal = Mutex<InstallationError?>(nil)
    let isOver = try await EventFollower.wait(within: .seconds(60)) {
      do throws(InstallationError) {
        return try await backend.job(job).state.isFinal
      } catch {
        refusal.withLock { $0 = error }
        return true
      }
    }
    if let error = refusal.withLock({ $0 }) { throw error }
    guard isOver else { throw CannotMeasure("the first job does not end") }
    over = job
  }

  /// Has the client ask while a crowd does harm; alone where there is none.
  ///
  /// - Throws: ``CannotMeasure`` when the crowd cannot do harm; `CancellationError`.
  func ask(during act: StrangerCrowd.Act?) async throws -> GoodClient.Answers {
    guard let act else { return try await ask() }
    // Numbers that nobody has; one user only where many are not needed.
    let users = (0..<uid_t(act == .haveManyPlansMade ? 1 : 40)).map { 3_000_000_000 + $0 }
    let crowd = StrangerCrowd(at: engine.socket, act, users: users, package: packages[1])
    let attack = Task { try await onOwnThread { try crowd.attack() } }
    let result: Result<GoodClient.Answers, any Error>
    do {
      guard try await EventFollower.wait(within: .seconds(20), until: { crowd.harmDone > 50 })
      else { throw CannotMeasure("the attack does not begin: the engine lets nobody in") }
      result = .success(try await ask())
    } catch {
      result = .failure(error)
    }
    crowd.leave()
    try await attack.value
    return try result.get()
  }

  /// Has the client ask while seventy plans wait for a solver that does not end.
  ///
  /// - Throws: ``CannotMeasure`` when the solver is not run; `CancellationError`.
  func askWhileSolverHangs(in root: PrivateRoot) async throws -> GoodClient.Answers {
    let solvers = root.path + "/solvers"
    guard unsafe mkdir(solvers, 0o755) == 0 else {
      throw CannotMeasure("cannot make '\(solvers)'")
    }
    try SmallFile.write("#!/bin/sh\nexec sleep 600\n", to: solvers + "/hanging")
    unsafe chmod(solvers + "/hanging", 0o755)
    let settings = root.path + "/etc/apt/apt.conf.d/99solver"
    try SmallFile.write(
      "APT::Solver \"hanging\";\nDir::Bin::solvers:: \"\(solvers)\";\n", to: settings)
    defer { unsafe unlink(settings) }
    let (backend, package) = (client.backend, packages[2])
    let plans = (0..<70).map { _ in
      Task { _ = try? await backend.plan(JobRequest(.install, [Update(package)])) }
    }
    defer { for plan in plans { plan.cancel() } }
    guard
      try await EventFollower.wait(
        within: .seconds(20),
        until: { !ProcessTable.processes(running: ["sleep", "600"]).isEmpty })
    else { throw CannotMeasure("the solver is not run") }
    return try await ask()
  }

  /// Has the client ask while the disk of the engine's state is full.
  ///
  /// - Throws: ``CannotMeasure`` when the disk cannot be filled; `CancellationError`.
  func askOnFullDisk() async throws -> GoodClient.Answers {
    let filler = engine.home + "/filler"
    try SmallFile.fillDisk(filler)
    defer { unsafe unlink(filler) }
    return try await ask()
  }

  private func ask() async throws -> GoodClient.Answers {
    let answers = try await client.ask(until: .now + length, over: over)
    // A figure without samples is left out without a word.
    guard !answers.times.isEmpty, !answers.lists.isEmpty else {
      throw CannotMeasure("the client asked nothing")
    }
    return answers
  }
}

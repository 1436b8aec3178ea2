internal import InstallJobs
internal import JobClient

/// One root with its engine, on which installs are begun and aborted at random moments.
actor AbortLane {
  private let root: PrivateRoot
  private let engine: RunningEngine
  private let follower = EventFollower()
  private let name: String
  private let tell: @Sendable (String) -> Void
  private var backend: EngineBackend
  private var numbers: Irregular
  private var tally = AbortTally()
  /// How long downloads and dpkg took lately, in milliseconds: the span that moments are chosen in.
  private var spans: [AbortTrial.Moment: Int] = [.download: 300, .dpkg: 1_500]

  /// Starts the engine on a root.
  ///
  /// - Throws: ``CannotMeasure`` when it does not come up.
  init(
    _ name: String, root: PrivateRoot, engine: RunningEngine, seed: UInt64,
    tell: @escaping @Sendable (String) -> Void
  ) async throws {
    self.name = name
    self.root = root
    self.engine = engine
    self.tell = tell
    numbers = Irregular(seed: seed)
    let connection = try await engine.start()
    backend = EngineBackend(connection)
    try await follower.follow(connection)
  }

  /// Aborts jobs until `quota` is used up.
  ///
  /// - Returns: What was counted; a refusal where nothing is to be refused is a broken promise.
  /// - Throws: ``CannotMeasure``, `CancellationError`; nothing of the engine is left then.
  func run(until quota: Quota) async throws -> AbortTally {
    do {
      while await quota.consume() {
        try Task.checkCancellation()
        try await trial()
        try await root.purge(try await root.installed().whole)
      }
    } catch {
      _ = await engine.kill()
      engine.endWork()
      guard let refusal = error as? InstallationError else { throw error }
      // What the product refuses on its own root is a fault of its, and the end of this root.
      tell("\(name) ends: \(refusal)")
      tally.broken.append(1)
      return tally
    }
    await engine.stop()
    return tally
  }

  // MARK: One abort

  private func trial() async throws {
    let wanted = AbortTrial.Moment.allCases[numbers.next(below: 3)]
    let family = PackageRecipe.all.map(\.name).filter { name in
      !PackageRecipe.lone.contains { $0.name == name }
    }
    let first = try await submit(choose(2 + numbers.next(below: 4), of: family))
    // What is aborted in the queue waits behind another job.
    let job = wanted == .queue ? try await submit(PackageRecipe.lone.map(\.name)) : first
    try await waitForMoment(wanted, of: job)
    let moment = AbortTrial.Moment(follower.state(of: job) ?? .queued)
    let start = ContinuousClock.now
    let answer = try await backend.requestAbort(of: job)
    let answered = ContinuousClock.now
    // A promise binds the next engine, too.
    let isEngineKilled = numbers.next(below: 5) == 0
    if isEngineKilled { try await killEngine() }
    try await waitForEnd(of: job)
    let ended = ContinuousClock.now
    if job != first { try await waitForEnd(of: first) }
    let trial = AbortTrial(
      answer: answer, job: try await backend.job(job), after: try await root.installed(),
      audit: try await root.audit())
    count(trial, at: moment)
    tally.answerTimes.append((answered - start).milliseconds)
    if case .accepted = answer, !isEngineKilled { tally.waits.append((ended - start).milliseconds) }
    learn(from: try await backend.job(first))
  }

  private func killEngine() async throws {
    guard await engine.kill() else { throw CannotMeasure("the engine of \(name) is gone") }
    tally.deaths += 1
    let connection = try await engine.start()
    backend = EngineBackend(connection)
    try await follower.follow(connection)
  }

  private func count(_ trial: AbortTrial, at moment: AbortTrial.Moment?) {
    let title = "\(name), job \(trial.job.id), \(AbortTally.word(for: trial.answer))"
    for fault in trial.broken { tell("\(title) \(Self.stop(trial.answer)): \(fault)") }
    if !trial.audit.isEmpty { tell("\(title): dpkg --audit says \(trial.audit)") }
    tally.broken.append(trial.broken.count)
    tally.audits.append(trial.audit.isEmpty ? 0 : 1)
    tally.answers[AbortTally.word(for: trial.answer), default: 0] += 1
    tally.moments[moment ?? .dpkg, default: 0] += 1
  }

  private static func stop(_ answer: AbortDisposition) -> String {
    if case .accepted(let name?, _) = answer { name } else { "" }
  }

  private func choose(_ count: Int, of names: [String]) -> [String] {
    var (rest, chosen): ([String], [String]) = (names, [])
    for _ in 0..<count where !rest.isEmpty {
      chosen.append(rest.remove(at: numbers.next(below: rest.count)))
    }
    return chosen
  }

  private func submit(_ names: [String]) async throws -> JobID {
    var options = InstallationOptions()
    options.clientName = "fettle-bench"
    return try await backend.submit(
      JobRequest(.install, names.map { Update($0) }, options: options)
    ).id
  }

  // MARK: Moments

  /// Waits until a job is in the wanted part of its life, and then for a random while.
  private func waitForMoment(_ moment: AbortTrial.Moment, of job: JobID) async throws {
    let follower = follower
    let isThere = try await EventFollower.wait(within: .seconds(120)) {
      guard let state = follower.state(of: job) else { return false }
      return switch moment {
      case .queue: true
      case .download: state != .queued
      case .dpkg: state != .queued && state != .downloading
      }
    }
    guard isThere else { throw CannotMeasure("job \(job) of \(name) does not begin") }
    let span = moment == .queue ? 1_000 : spans[moment] ?? 1_000
    try await Task.sleep(for: .milliseconds(numbers.next(below: max(1, span))))
  }

  /// Takes the spans from a job that went through to its end.
  private func learn(from job: JobSnapshot) {
    guard job.resultCode == .succeeded, let end = job.endedAt, let start = job.startedAt else {
      return
    }
    let events = follower.record.events.filter { $0.job == job.id }
    let installing = events.first { event in
      if case .state(let change) = event.payload { change.state == .installing } else { false }
    }
    guard let begun = installing?.at else { return }
    spans[.download] = Int(begun.milliseconds - start.milliseconds)
    spans[.dpkg] = Int(end.milliseconds - begun.milliseconds)
  }

  private func waitForEnd(of job: JobID) async throws {
    let follower = follower
    let hasEnded = try await EventFollower.wait(within: .seconds(300)) { follower.hasEnded(job) }
    guard !hasEnded else { return }
    let standing = try await follower.standing(of: job, by: backend, state: engine.state)
    throw CannotMeasure("a job of \(name) does not end within five minutes: \(standing)")
  }
}

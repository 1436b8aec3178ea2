internal import Glibc
internal import InstallJobs
internal import JobClient

/// One root with its engine, on which jobs are run while everybody around them is killed.
actor ChaosLane {
  private let root: any ProvingRoot
  private let engine: RunningEngine
  private let clients: DoomedClients
  private let follower = EventFollower()
  private let name: String
  private let tell: @Sendable (String) -> Void
  private var numbers: Irregular
  private var connection: EngineConnection
  private var tally = ChaosTally()
  private var submissions = 0

  /// Starts the engine on a root.
  ///
  /// - Throws: ``CannotMeasure`` when it does not come up.
  init(
    _ name: String, root: any ProvingRoot, engine: RunningEngine, seed: UInt64,
    tell: @escaping @Sendable (String) -> Void
  ) async throws {
    self.name = name
    self.root = root
    self.engine = engine
    self.tell = tell
    numbers = Irregular(seed: seed)
    clients = try await DoomedClients(of: engine.socket, in: engine.home)
    connection = try await engine.start()
    try await follower.follow(connection)
    try clients.start()
  }

  /// Runs jobs until `quota` is used up, then compares the whole journal with what was seen.
  ///
  /// - Returns: What was counted; a refusal where nothing is to be refused is a wrong result.
  /// - Throws: ``CannotMeasure``, `CancellationError`; nothing of the engine is left then.
  func run(until quota: Quota) async throws -> ChaosTally {
    do {
      while await !quota.isUsedUp {
        try Task.checkCancellation()
        try await disturbedJob(quota)
      }
      try await compareJournal()
    } catch {
      _ = await engine.kill()
      engine.endWork()
      guard let refusal = error as? InstallationError else { throw error }
      // What the product refuses on its own root is a fault of its, and the end of this root.
      tell("\(name) ends: \(refusal)")
      tally.wrong.append(1)
      return tally
    }
    clients.end()
    await engine.stop()
    return tally
  }

  // MARK: One job

  private func disturbedJob(_ quota: Quota) async throws {
    let before = try await root.installed()
    let configured = root.configurations
    let disturbance = Disturbance(ofJob: submissions + 1)
    var hit: Set<Victim> = []
    let job = try await submit(request(on: before), disturbed: &hit, quota)
    try await disturb(job, quota, hit: &hit) { numbers, hit in
      disturbance.victim(choosing: &numbers, after: hit)
    }
    try await judge(job, before: before, configured: configured, hit: hit)
    if hit.contains(.session) { try await repair(quota) }
  }

  /// Kills at random moments until the job is over; once the quota is used up it ends in peace.
  private func disturb(
    _ job: JobID, _ quota: Quota, hit: inout Set<Victim>,
    choosing victim: (inout Irregular, Set<Victim>) -> Victim
  ) async throws {
    while !follower.hasEnded(job) {
      try Task.checkCancellation()
      let pause = Duration.milliseconds(20 + numbers.next(below: 900))
      if try await EventFollower.wait(within: pause, until: { follower.hasEnded(job) }) { return }
      let victim = victim(&numbers, hit)
      guard await quota.consume() else { return try await waitForEnd(of: job) }
      guard try await kill(victim, at: job, quota) else {
        await quota.giveBack()
        continue
      }
      hit.insert(victim)
      tally.kills[victim, default: 0] += 1
      // Now and then nobody is left who could have seen the work die.
      if [.worker, .session].contains(victim), numbers.next(below: 3) == 0, await quota.consume(),
        try await kill(.engine, at: job, quota)
      {
        hit.insert(.engine)
        tally.kills[.engine, default: 0] += 1
      }
    }
  }

  /// Installs what is not there, or takes all of it away once that is little.
  private func request(on installed: InstalledPackages) -> JobRequest {
    let absent = root.offered.filter { !installed.whole.contains($0) }
    guard absent.count > 3 else {
      let present = root.offered.filter { installed.whole.contains($0) }
      return JobRequest(.purge, present.sorted().map { Update($0) })
    }
    var chosen: [String] = []
    var rest = absent
    for _ in 0..<(2 + numbers.next(below: 3)) where !rest.isEmpty {
      chosen.append(rest.remove(at: numbers.next(below: rest.count)))
    }
    return JobRequest(.install, chosen.map { Update($0) })
  }

  /// Submits, now and then with the engine killed meanwhile: the token makes it one job all the same.
  private func submit(
    _ request: JobRequest, disturbed hit: inout Set<Victim>, _ quota: Quota
  ) async throws -> JobID {
    submissions += 1
    var request = request
    request.options.clientName = "fettle-bench"
    request.options.token = "chaos-\(name)-\(submissions)"
    if numbers.next(below: 5) == 0, await quota.consume() {
      let pause = Duration.milliseconds(numbers.next(below: 600))
      let (backend, first) = (EngineBackend(connection), request)
      let answer = Task { try await backend.submit(first) }
      try await Task.sleep(for: pause)
      if try await kill(.engine, at: nil, quota) {
        hit.insert(.engine)
        tally.kills[.engine, default: 0] += 1
      }
      if let job = try? await answer.value { return job.id }
    }
    return try await EngineBackend(connection).submit(request).id
  }

  private func waitForEnd(of job: JobID) async throws {
    let hasEnded = try await EventFollower.wait(within: .seconds(180)) { follower.hasEnded(job) }
    guard !hasEnded else { return }
    let standing = try await follower.standing(
      of: job, by: EngineBackend(connection), state: engine.state)
    throw InstallationError(.internal, "a job does not end: \(standing)")
  }

  // MARK: Killing

  /// Kills somebody, and puts an engine or a client in the place of the dead one.
  ///
  /// - Returns: Whether there was anybody to kill.
  private func kill(_ victim: Victim, at job: JobID?, _ quota: Quota) async throws -> Bool {
    switch victim {
    case .engine:
      let wasRunning = await engine.kill()
      // The work goes on meanwhile, sometimes to its end.
      try await Task.sleep(for: .milliseconds(numbers.next(below: 400)))
      // Now and then the next engine dies, too, while it comes up or right after.
      if numbers.next(below: 4) == 0, await quota.consume() {
        let life = Duration.milliseconds(numbers.next(below: 300))
        if try await engine.startInVain(for: life) { tally.kills[.engine, default: 0] += 1 }
      }
      connection = try await engine.start()
      try await follower.follow(connection)
      return wasRunning
    case .client:
      return try clients.killOne(choosing: &numbers)
    case .link:
      let isFarEnd = numbers.next(below: 2) == 0
      guard let left = try await clients.cutLink(atFarEnd: isFarEnd) else { return false }
      if left > 0 { tell("\(name): \(left) monitors have outlived their ssh link") }
      tally.leftBehind.append(left)
      return true
    case .worker, .session:
      guard let job else { return false }
      let folder = "\(engine.state)/jobs/\(job)"
      guard let worker = ProcessTable.all().worker(of: folder) else { return false }
      guard victim == .session else { return Glibc.kill(worker.process, SIGKILL) == 0 }
      return Self.killSession(of: worker)
    }
  }

  /// Kills all of a session, what it starts meanwhile included.
  private static func killSession(of leader: ProcessRow) -> Bool {
    var isHit = false
    for _ in 0..<100 {
      let rest = ProcessTable.all().filter {
        $0.session == leader.session && $0.owner == leader.owner && !$0.words.isEmpty
      }
      if rest.isEmpty { break }
      for row in rest where Glibc.kill(row.process, SIGKILL) == 0 { isHit = true }
    }
    return isHit
  }

  // MARK: Judging

  private func judge(
    _ id: JobID, before: InstalledPackages, configured: [String: Int], hit: Set<Victim>
  ) async throws {
    let judgement = JobJudgement(
      job: try await EngineBackend(connection).job(id), before: before,
      after: try await root.installed(), audit: try await root.audit(),
      configurations: root.configurations.merging(configured) { $0 - $1 }, hit: hit)
    let victims = hit.map(\.rawValue).sorted().joined(separator: ", ")
    let title = "\(name), job \(id), killed: \(victims.isEmpty ? "nobody" : victims)"
    for fault in judgement.wrong { tell("\(title): \(fault)") }
    for package in judgement.installedTwice { tell("\(title): \(package) was configured twice") }
    tally.wrong.append(judgement.wrong.count)
    guard !hit.contains(.session) else { return }
    tally.twice.append(judgement.installedTwice.count)
    if !judgement.audit.isEmpty { tell("\(title): dpkg --audit says \(judgement.audit)") }
    tally.audits.append(judgement.audit.isEmpty ? 0 : 1)
  }

  /// Has the product mend what a killed dpkg left, its engine killed meanwhile, and looks whether it
  /// is mended.
  private func repair(_ quota: Quota) async throws {
    var options = InstallationOptions()
    options.clientName = "fettle-bench"
    let job = try await EngineBackend(connection).submit(
      JobRequest(.repair, [], options: options)
    ).id
    var hit: Set<Victim> = []
    try await disturb(job, quota, hit: &hit) { _, _ in .engine }
    let end = try await EngineBackend(connection).job(job)
    let isMended = end.resultCode == .succeeded && end.percentComplete == 100
    if !isMended {
      let words = await EngineBackend(connection).lastWords(of: job)
      tell("\(name), repair \(job): \(end.resultCode), \(end.error as Any), its log: \(words)")
    }
    tally.wrong.append(isMended ? 0 : 1)
    tally.repairs += 1
    let audit = try await root.audit()
    if !audit.isEmpty { tell("\(name), after the repair: dpkg --audit says \(audit)") }
    tally.audits.append(audit.isEmpty ? 0 : 1)
  }

  private func compareJournal() async throws {
    let journal = try await EventFollower.journal(of: connection)
    let last = journal.last?.seq ?? 0
    _ = try await EventFollower.wait(within: .seconds(30)) { follower.record.reached >= last }
    var again = EventRecord()
    for event in journal { again.apply(event) }
    let record = follower.record
    let seen = record.events.prefix { $0.seq <= last }
    let missing = EventRecord.differences(Array(seen), journal)
    if missing > 0 { tell("\(name): \(missing) events are not in the journal as they were seen") }
    tally.lost.append(record.lost + again.lost + missing)
    tally.doubled.append(record.doubled + again.doubled)
    let jobs = try await EngineBackend(connection).jobs(in: nil)
    if let open = jobs.first(where: { !$0.state.isFinal }) {
      tell("\(name): job \(open.id) is not over at the end")
      tally.wrong.append(1)
    }
    let accepted = Set(jobs.compactMap(\.options.token)).count
    let rest = jobs.filter { $0.operation != .repair }.count
    if accepted != submissions || rest != submissions {
      tell("\(name): \(submissions) submissions made \(rest) jobs with \(accepted) tokens")
      tally.wrong.append(abs(rest - submissions) + abs(accepted - submissions))
    }
  }
}

internal import FoundationEssentials
internal import Glibc
internal import InstallJobs
internal import JobClient

/// One root on which jobs run; again and again the power goes off.
actor PowerCutLane {
  private let place: ProvingGround.Place
  private let owner: RootOwner
  private let name: String
  private let tell: @Sendable (String) -> Void
  private let follower = EventFollower()
  private var numbers: Irregular
  private var tally = PowerCutTally()

  init(
    _ name: String, place: ProvingGround.Place, owner: RootOwner, seed: UInt64,
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.name = name
    self.place = place
    self.owner = owner
    self.tell = tell
    numbers = Irregular(seed: seed)
  }

  /// Cuts until `quota` is used up.
  ///
  /// - Returns: What was counted; a refusal where nothing is to be refused is a wrong result.
  /// - Throws: ``CannotMeasure``, `CancellationError`; nothing of the engine is left then.
  func run(until quota: Quota) async throws -> PowerCutTally {
    do {
      let connection = try await place.engine.start()
      try await follower.follow(connection)
      let backend = EngineBackend(connection)
      while await quota.consume() {
        try Task.checkCancellation()
        if try await !cut(backend) { await quota.giveBack() }
        try await place.root.purge(try await place.root.installed().whole)
      }
    } catch {
      _ = await place.engine.kill()
      place.engine.endWork()
      guard let refusal = error as? InstallationError else { throw error }
      tell("\(name) ends: \(refusal)")
      tally.wrong.append(1)
      return tally
    }
    await place.engine.stop()
    return tally
  }

  /// Lets a job begin, copies everything in one moment of its life, and looks what a new engine
  /// makes of the copy once the job itself is over.
  ///
  /// - Returns: False when the job was over before.
  private func cut(_ backend: EngineBackend) async throws -> Bool {
    let before = try await place.root.installed()
    let configured = place.root.configurations
    let first = numbers.next(below: place.root.offered.count)
    let names = (0..<3).map { place.root.offered[(first + $0) % place.root.offered.count] }
    let job = try await backend.submit(JobRequest(.install, names.map { Update($0) })).id
    try await Task.sleep(for: .milliseconds(numbers.next(below: 1_600)))
    let copy = place.engine.home + "-cut"
    let moment = try await copyInOneMoment(job, to: copy)
    defer { discard(copy, moment) }
    let follower = follower
    guard try await EventFollower.wait(within: .seconds(180), until: { follower.hasEnded(job) })
    else { throw CannotMeasure("job \(job) of \(name) does not end") }
    guard let state = moment.state, !state.isFinal else { return false }
    tally.moments[state, default: 0] += 1
    var disk: BlockDisk?
    if let image = moment.image { disk = try await BlockDisk.mounted(copy: image, on: copy) }
    defer { disk?.remove() }
    try await judgeCopy(copy, job, before: before, configured: configured, seen: moment.reached)
    return true
  }

  /// The moment in which everything stood still.
  private struct Moment {
    /// The state of the job as the engine last told it.
    var state: JobState?
    /// The last event that the engine had told.
    var reached: Int
    /// The copy of the disk's image; nil where the files were copied.
    var image: String?
  }

  private func discard(_ copy: String, _ moment: Moment) {
    guard let image = moment.image else {
      try? FileManager.default.removeItem(atPath: copy)
      return
    }
    unsafe unlink(image)
    unsafe rmdir(copy)
  }

  private func copyInOneMoment(_ job: JobID, to copy: String) async throws -> Moment {
    guard let engine = await place.engine.process,
      let frozen = FrozenWork.freeze(engine, below: place.engine.state, of: owner)
    else { throw CannotMeasure("\(name): the work cannot be stopped") }
    defer { frozen.thaw() }
    var image: String?
    if let disk = place.disk {
      image = try await disk.copyImage()
    } else {
      _ = try await ChildProgram.run(
        ["/bin/cp", "-a", place.engine.home, copy], environment: PrivateRoot.environment,
        log: copy + ".log")
    }
    return Moment(
      state: follower.state(of: job), reached: follower.record.reached, image: image)
  }

  private func judgeCopy(
    _ copy: String, _ job: JobID, before: InstalledPackages, configured: [String: Int],
    seen: Int
  ) async throws {
    let root = PrivateRoot(copyOf: place.root, in: copy)
    let engine = try RunningEngine(
      in: place.engine.home, replacedBy: copy, .privateRoot, owner: owner, log: copy + ".log")
    do {
      let connection = try await engine.start()
      let backend = EngineBackend(connection)
      try await waitForEnd(of: job, backend)
      let snapshot = try await backend.job(job)
      let judgement = JobJudgement(
        job: snapshot, before: before, after: try await root.installed(),
        audit: try await root.audit(),
        configurations: root.configurations.merging(configured) { $0 - $1 },
        hit: [.engine, .worker, .session])
      let faults = judgement.wrong + root.spoiltFiles(of: snapshot)
      for fault in faults { tell("\(name), job \(job) on the copy: \(fault)") }
      tally.wrong.append(faults.count)
      if snapshot.resultCode != .succeeded { try await repair(backend, root) }
      let audit = try await root.audit()
      if !audit.isEmpty { tell("\(name), job \(job) on the copy: dpkg --audit says \(audit)") }
      tally.audits.append(audit.isEmpty ? 0 : 1)
      var record = EventRecord()
      for event in try await EventFollower.journal(of: connection) { record.apply(event) }
      // What the engine had told before the power went is in its journal.
      tally.lost.append(record.lost + max(0, seen - record.reached))
      tally.doubled.append(record.doubled)
    } catch {
      _ = await engine.kill()
      engine.endWork()
      throw error
    }
    await engine.stop()
  }

  private func repair(_ backend: EngineBackend, _ root: PrivateRoot) async throws {
    let repair = try await backend.submit(JobRequest(.repair, [])).id
    try await waitForEnd(of: repair, backend)
    let end = try await backend.job(repair)
    tally.repairs += 1
    guard end.resultCode != .succeeded else { return }
    let words = await backend.lastWords(of: repair)
    tell(
      "\(name), repair \(repair) on the copy: \(end.resultCode), \(end.error as Any), "
        + "its log: \(words)")
    tally.wrong.append(1)
  }

  private func waitForEnd(of job: JobID, _ backend: EngineBackend) async throws {
    let isOver = try await EventFollower.wait(within: .seconds(180)) {
      (try? await backend.job(job).state.isFinal) ?? false
    }
    guard isOver else {
      throw InstallationError(.internal, "job \(job) does not end after the power came back")
    }
  }
}

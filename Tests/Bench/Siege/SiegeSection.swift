internal import InstallJobs
internal import JobClient

/// The same real install alone and beside a crowd that means harm, in turns.
struct SiegeSection: Section {
  static let name = "siege"

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let ground = try await ProvingGround(lanes: 1)
    defer { ground.remove() }
    let place = ground.places[0]
    let follower = EventFollower()
    let connection = try await place.engine.start()
    try await follower.follow(connection)
    defer { withExtendedLifetime(connection) {} }
    let pairs = effort == .full ? 11 : 2
    say("\(pairs) pairs of installs, alone and beside \(Besiegers.crowd) connections")
    var times = PairedSamples()
    var answers: [Double] = []
    var standing: [Double] = []
    var memory: [Double] = []
    do {
      // The first one fills what is filled once.
      _ = try await install(place, connection, follower)
      for pair in 0..<pairs {
        try Task.checkCancellation()
        // Every other pair begins with the siege.
        var alone = 0.0
        if pair.isMultiple(of: 2) { alone = try await install(place, connection, follower) }
        let besieged = try await Self.besieging(place.engine.socket) { crowd in
          let time = try await install(place, connection, follower, answers: &answers)
          standing.append(Double(crowd.standing))
          if let process = await place.engine.process {
            memory.append(Double(try ProcessMemory(of: process).resident) / 1_000_000)
          }
          return time
        }
        if !pair.isMultiple(of: 2) { alone = try await install(place, connection, follower) }
        times.add(ours: besieged, theirs: alone)
      }
    } catch {
      _ = await place.engine.kill()
      place.engine.endWork()
      throw error
    }
    await place.engine.stop()
    func figure(
      _ name: String, _ samples: [Double], value: Double? = nil, _ unit: String,
      target: Double? = nil, note: String? = nil
    ) -> Figure? {
      Figure(
        Self.name, name, samples, value: value, unit: unit,
        target: effort == .full ? target : nil, note: note)
    }
    return [
      figure(
        "an install beside a crowd against one alone", times.ratios, "ratio", target: 1.05,
        note: "\(Besiegers.crowd) of one user connect, most are turned away and come again"),
      figure("an install alone", times.pairs.map(\.theirs), "ms"),
      figure(
        "connections that stand, those that nobody has accepted yet included", standing, "count"),
      figure(
        "answer to a client that behaves, 95 %", answers, value: answers.percentile(0.95), "ms"),
      figure("memory of the engine, besieged", memory, "MB"),
    ].compactMap(\.self)
  }

  /// Does something while a crowd is there; it leaves whatever comes of it.
  ///
  /// - Throws: What `body` throws; ``CannotMeasure`` when no crowd came.
  private static func besieging<Value: Sendable>(
    _ socket: String, _ body: (Besiegers) async throws -> Value
  ) async throws -> Value {
    let crowd = Besiegers(at: socket)
    let siege = Task { try await onOwnThread { crowd.besiege() } }
    let result: Result<Value, any Error>
    do {
      // As many as one user may have are let in.
      let hasCome = try await EventFollower.wait(within: .seconds(20)) { crowd.standing >= 60 }
      guard hasCome else { throw CannotMeasure("only \(crowd.standing) besiegers were let in") }
      result = .success(try await body(crowd))
    } catch {
      result = .failure(error)
    }
    crowd.leave()
    try await siege.value
    return try result.get()
  }

  /// Installs everything and takes it away again.
  ///
  /// - Returns: What the installation took, in milliseconds.
  private func install(
    _ place: ProvingGround.Place, _ connection: EngineConnection, _ follower: EventFollower
  ) async throws -> Double {
    var answers: [Double] = []
    return try await install(place, connection, follower, answers: &answers)
  }

  private func install(
    _ place: ProvingGround.Place, _ connection: EngineConnection, _ follower: EventFollower,
    answers: inout [Double]
  ) async throws -> Double {
    let backend = EngineBackend(connection)
    let updates = place.root.offered.map { Update($0) }
    let job = try await backend.submit(JobRequest(.install, updates))
    while !follower.hasEnded(job.id) {
      let asked = ContinuousClock.now
      _ = try await backend.status()
      answers.append((ContinuousClock.now - asked).milliseconds)
      try await Task.sleep(for: .milliseconds(50))
    }
    let end = try await backend.job(job.id)
    guard end.resultCode == .succeeded, let ended = end.endedAt else {
      throw CannotMeasure("job \(job.id) did not succeed: \(end.error?.message ?? "")")
    }
    let milliseconds = Double(ended.milliseconds - end.submittedAt.milliseconds)
    try await place.root.purge(try await place.root.installed().whole)
    return milliseconds
  }
}

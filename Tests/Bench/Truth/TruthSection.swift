internal import InstallJobs
internal import JobClient
internal import JobWire

/// How true the bar is: what was shown during a real install against the time that it really took,
/// beside apt's own percentage of the same install.
///
/// Ours has installed and lost the same packages three times before, with the same engine, so that
/// it knows what they cost. apt learns nothing, so its root is fresh each time.
struct TruthSection: Section {
  static let name = "truth"
  /// Runs before the first that counts: fewer samples say nothing to the engine.
  private static let lessons = 3

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let recipes = TruthRecipes.made(TruthRecipes.count(effort))
    say("building \(recipes.count) packages")
    let pace = PacedMirror.Pace.shared(bytesPerSecond: TruthRecipes.bytesPerSecond)
    let ground = try await ComparisonGround(recipes, pace: pace)
    defer { ground.remove() }
    let peer = try await AptProgram(on: ground)
    let names = Set(recipes.map(\.name))
    let outcome = try await ground.onFreshEngine { ours in
      var outcome = TruthOutcome()
      for lesson in 1...Self.lessons {
        say("lesson \(lesson) of \(Self.lessons)")
        _ = try await Self.ourRun(ours, names)
      }
      for pair in 0..<effort.pairs {
        try Task.checkCancellation()
        say("pair \(pair + 1) of \(effort.pairs)")
        var theirs: AptProgress?
        if pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, names) }
        outcome.ours.append(try await Self.ourRun(ours, names))
        if !pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, names) }
        if let theirs { outcome.theirs.append(theirs) }
      }
      return outcome
    }
    return outcome.figures(
      Self.name, peer: peer.title,
      note: "\(names.count) packages, the download included, after "
        + "\(Self.lessons) runs of learning")
  }

  // MARK: Ours

  private static func ourRun(
    _ ours: EngineUnderTest, _ names: Set<String>
  ) async throws -> ShownProgress {
    let backend = EngineBackend(ours.connection)
    let reached = try await backend.status().seq
    let events = try await ours.connection.subscribe(SubscribeRequest(from: reached))
    let begin = ContinuousClock.now
    let reading = Task { try await Self.record(events) }
    let submitted: JobSnapshot
    do {
      submitted = try await backend.submit(
        JobRequest(.install, [Update(TruthRecipes.wanted)]))
    } catch {
      reading.cancel()
      throw error
    }
    let told = try await withTaskCancellationHandler {
      try await reading.value
    } onCancel: {
      reading.cancel()
    }
    let end = try await backend.job(submitted.id)
    guard end.resultCode == .succeeded, let last = told.last else {
      throw CannotMeasure("job \(end.id) did not succeed: \(end.error?.message ?? "")")
    }
    var job = submitted
    let readings = told.map { time, event in
      job.apply(event)
      return ShownProgress.Reading(
        at: (time - begin).seconds, percent: job.percentComplete, left: job.etaSeconds)
    }
    try await ComparisonGround.check(ours.root, holds: names, after: "fettle")
    try await ours.root.purge(names)
    // With it go its archives: the next run fetches them again.
    try await backend.cleanUp(submitted.id)
    return ShownProgress(readings, length: (last.time - begin).seconds)
  }

  /// Everything that a client hears, with the moment at which it heard it, up to a job's end.
  private static func record(
    _ events: EngineEvents
  ) async throws -> [(time: ContinuousClock.Instant, event: JobEvent)] {
    var told: [(ContinuousClock.Instant, JobEvent)] = []
    for try await element in events {
      let now = ContinuousClock.now
      switch element {
      case .event(let event):
        told.append((now, event))
        if case .completed = event.payload { return told }
      case .progress(let batch): told += batch.map { (now, $0) }
      case .jobs, .jobsEnd: break
      }
    }
    try Task.checkCancellation()
    throw CannotMeasure("the engine told no end")
  }

  // MARK: Theirs

  private static func peerRun(
    _ peer: AptProgram, _ ground: ComparisonGround, _ names: Set<String>
  ) async throws -> AptProgress {
    try await ground.onFreshRoot(in: "peer") { root in
      let file = root.path + "/tmp/apt-status"
      let begin = ContinuousClock.now
      let program = try peer.start([TruthRecipes.wanted], statusFile: file, on: root)
      let progress = try await withTaskCancellationHandler {
        try await onOwnThread { try Self.follow(program, file, since: begin) }
      } onCancel: {
        program.killSession()
      }
      try Task.checkCancellation()
      try await ComparisonGround.check(root, holds: names, after: peer.title)
      return progress
    }
  }

  /// Looks at the file two hundred times a second; blocks until the program's end.
  private static func follow(
    _ program: ChildProgram, _ file: String, since begin: ContinuousClock.Instant
  ) throws -> AptProgress {
    var lines: [AptProgress.Told] = []
    var known = 0
    while true {
      let isOver = program.status != nil
      let now = (ContinuousClock.now - begin).seconds
      let text = (SmallFile.text(file) ?? "").split(separator: "\n")
      for line in text.dropFirst(known) {
        if let line = AptProgress.Line(line) { lines.append(.init(at: now, line: line)) }
      }
      known = text.count
      if isOver {
        guard program.status == 0, !lines.isEmpty else {
          throw CannotMeasure("apt-get told nothing: \(program.output.suffix(500))")
        }
        return AptProgress(lines, length: now)
      }
      pause(for: .milliseconds(5))
    }
  }
}

internal import InstallJobs
internal import JobClient
internal import JobWire

/// One job of very many packages, each of which is asked for by its name.
struct UpdateScale: Sendable {
  let workplace: Workplace
  let effort: Effort

  /// Measures at each size, in order, each on an engine of its own; each job is stopped after a look.
  ///
  /// Where one is more than a request can carry, the greatest that it can is measured in its place.
  ///
  /// - Throws: ``CannotMeasure``, `CancellationError`.
  func measure(_ sizes: [Int], _ say: (String) -> Void) async throws -> [Figure] {
    var figures = ScaleFigures(of: "updates in one job")
    let most = Self.mostUpdates(upTo: sizes.last ?? 0)
    for size in sizes where size <= most { try await measure(size, &figures, say) }
    if let size = sizes.last, size > most {
      try await measure(most, &figures, say)
      say("a job of \(size) updates is more than a request can carry")
      figures.addRemark(
        "the greatest job of such short names that a request of \(WireProtocol.maximumLine) bytes"
          + " can carry")
    }
    let greatest = min(most, sizes.last ?? 0)
    if greatest > 1_000 {
      figures.compare(Self.submit, greatest, with: 1_000)
      figures.compare(Self.event, greatest, with: 1_000)
    }
    return figures.figures
  }

  /// How many of these updates fit a request to submit them; no more than `limit`.
  static func mostUpdates(upTo limit: Int) -> Int {
    func fits(_ count: Int) -> Bool {
      // The id has more digits than any that is sent.
      let request = OutgoingRequest(
        id: .number(999_999_999), SubmitRequest(Self.request(names(count))))
      let length = (try? WireCodec().request(request))?.count
      return length.map { $0 <= WireProtocol.maximumLine } ?? false
    }
    guard !fits(limit) else { return limit }
    var (low, high) = (0, limit)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if fits(middle) { low = middle } else { high = middle }
    }
    return low
  }

  /// Short names of so many packages.
  static func names(_ count: Int) -> [String] { (0..<count).map { "p\($0)" } }

  private static func request(_ packages: [String]) -> JobRequest {
    JobRequest(.install, packages.map { Update($0) })
  }

  private func measure(
    _ size: Int, _ figures: inout ScaleFigures, _ say: (String) -> Void
  ) async throws {
    try Task.checkCancellation()
    say("a job of \(size) updates")
    let packages = Self.names(size)
    let name = "updates-\(size)"
    defer { workplace.removeFolder(name) }
    try await workplace.onStage(playing: Self.scenario(packages), in: name) { stage in
      try await measure(stage, packages, &figures)
    }
  }

  private static let submit = "time of a submit for each update"

  /// The scenario's own work is in it, too.
  private static let event = "time of an event in the engine, scenario included"

  /// Short names and no more than is needed: the file of a scenario has at most 4 MiB.
  static func scenario(_ packages: [String]) -> String {
    """
    name = "updates"
    bytesPerSecond = 1_000_000_000_000
    [defaults]
    download = 0
    unpack = 0
    configure = 0
    size = 1

    """ + packages.map { "[[package]]\nname=\"\($0)\"\nversion=\"1\"\n" }.joined()
  }

  private func measure(
    _ stage: Stage, _ packages: [String], _ figures: inout ScaleFigures
  ) async throws {
    let process = stage.process
    let size = packages.count
    let backend = EngineBackend(stage.connection)
    let begin = ContinuousClock.now
    let job = try await backend.submit(Self.request(packages))
    let submitted = ContinuousClock.now - begin
    figures.add(
      Self.submit, at: size,
      [submitted.milliseconds / Double(size)], unit: "ms",
      note: "the whole took \(FigureTable.text(submitted.milliseconds)) ms")
    let before = try ProcessClock.time(of: process)
    let seq = try await backend.status().seq
    // Not before: the whole job in an event is no part of the answer to who submits it.
    let follower = EventFollower()
    try await follower.follow(stage.connection)
    let patience = Duration.seconds(effort.window)
    _ = try await EventFollower.wait(within: patience) { follower.hasEnded(job.id) }
    let events = try await backend.status().seq - seq
    let spent = try ProcessClock.time(of: process) - before
    if events > 0 {
      figures.add(
        Self.event, at: size, [spent.milliseconds / Double(events)], unit: "ms",
        note: "processor time over \(events) durable events, which one client follows")
    } else {
      figures.addRemark("then no event within \(Int(effort.window)) s")
    }
    figures.add(
      "memory of the engine", at: size,
      [Double(try ProcessMemory(of: process).resident) / 1e6], unit: "MB")
    _ = try? await backend.requestAbort(of: job.id)
    // What it was asked for is measured; one that takes long to stop is not waited for.
    guard try await EventFollower.wait(within: patience, until: { follower.hasEnded(job.id) })
    else {
      _ = await stage.engine.kill()
      return
    }
  }
}

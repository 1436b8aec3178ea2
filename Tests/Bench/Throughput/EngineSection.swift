/// Jobs that do nothing, through a whole engine and through programs that run `true`, in turns.
///
/// Ours plays packages that take no time; each job is planned, stored, begun, verified and ended,
/// every event of it in the journal with `synchronous=FULL`, and told to a client. The others start a
/// process for each job, ours does not; they keep nothing on the disk, ours does.
struct EngineSection: Section {
  static let name = "engine"

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let count = effort == .full ? 2_000 : 100
    let workplace = try Workplace()
    defer { workplace.remove() }
    let peers = try await onOwnThread { try TrivialJobs.installed(in: workplace) }
    say("\(effort.pairs) rounds of \(count) jobs, beside \(peers.map(\.title))")
    var ours: [Double] = []
    var theirs: [String: [Double]] = [:]
    var syncs: [Double] = []
    var writes = PairedSamples()
    var processor: [Double] = []
    try await workplace.onStage(playing: IdleJobs.scenario(packages: IdleJobs.packages)) { stage in
      let jobs = IdleJobs(stage.connection)
      // The first ones fill what is filled once.
      _ = try await jobs.run(50)
      for round in 0..<effort.pairs {
        try Task.checkCancellation()
        let sync = try await onOwnThread { try SyncedWrite.times(50, in: workplace.path) }
        syncs += sync
        let before = try ProcessClock.time(of: stage.process)
        let rate = try await jobs.run(count)
        let spent = try ProcessClock.time(of: stage.process) - before
        ours.append(rate)
        processor.append(spent.milliseconds / Double(count))
        writes.add(ours: 1_000 / rate, theirs: sync.median ?? 0)
        for peer in peers { theirs[peer.title, default: []].append(try await peer.run(count)) }
        say("round \(round + 1): \(FigureTable.text(rate)) a second")
      }
    }
    let missing = TrivialJobs.names.filter { name in !peers.contains { $0.title.hasPrefix(name) } }
    let note = missing.isEmpty ? "" : "; \(missing.joined(separator: ", ")) not installed"
    var figures = [
      Figure(
        Self.name, "jobs finished", ours, unit: "1/s", target: 1_000, better: .higher,
        note: "simulated packages that take no time, journal on" + note),
      Figure(
        Self.name, "a page written and synced", syncs, unit: "ms",
        note: "4096 bytes over and over, before each round: what the disk takes"),
      Figure(
        Self.name, "time of a job against that of such a write", writes.ratios, unit: "ratio"),
      Figure(Self.name, "processor time of the engine for a job", processor, unit: "ms"),
    ]
    for peer in peers {
      var pairs = PairedSamples()
      let samples = theirs[peer.title] ?? []
      for (mine, other) in zip(ours, samples) { pairs.add(ours: mine, theirs: other) }
      figures += [
        Figure(
          Self.name, "jobs finished against the peer's", pairs.ratios, unit: "ratio",
          target: peer.isJudge ? 1 : nil, better: .higher, peer: peer.title),
        Figure(
          Self.name, "jobs finished", samples, unit: "1/s", better: .higher, peer: peer.title,
          note: "each runs `true`"),
      ]
    }
    return figures.compactMap(\.self)
  }
}

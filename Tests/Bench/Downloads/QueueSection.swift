/// Eight jobs from a mirror that gives 10 MB/s in all, by as many calls of `apt-get install` in a
/// row and by a queue that has all of them at once.
///
/// Each run has a fresh root. The bound is what no program can go below: the time of all downloads,
/// or that of all packages with archives that are there already, whichever is longer. The latter
/// is measured with the same calls of `apt-get install`, beside each pair.
struct QueueSection: Section {
  static let name = "queue"

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let load = QueueLoad(effort)
    say("building \(load.recipes.count) packages")
    let pace = PacedMirror.Pace.shared(bytesPerSecond: QueueLoad.bytesPerSecond)
    let ground = try await ComparisonGround(load.recipes, pace: pace)
    defer { ground.remove() }
    let peer = try await AptProgram(on: ground)
    let bytes = ground.sizes.values.reduce(0, +)
    say("\(effort.pairs) pairs of \(load.jobs) jobs")
    var againstPeer = PairedSamples()
    var againstBound = PairedSamples()
    var work: [Double] = []
    for pair in 0..<effort.pairs {
      try Task.checkCancellation()
      var theirs = 0.0
      if pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, load) }
      let ours = try await Self.ourRun(ground, load)
      if !pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, load) }
      let packages = try await Self.workRun(peer, ground, load)
      againstPeer.add(ours: ours, theirs: theirs)
      againstBound.add(ours: ours, theirs: QueueLoad.bound(bytes: bytes, work: packages))
      work.append(packages)
      say("pair \(pair + 1): \(FigureTable.text(ours)) s and \(FigureTable.text(theirs)) s")
    }
    let inARow = "\(load.jobs) × \(peer.title) in a row"
    return [
      Figure(
        Self.name, "wall against the peer's", againstPeer.ratios, unit: "ratio", target: 0.7,
        peer: inARow,
        note: "\(load.jobs) jobs of \(load.packages) packages, "
          + "\(FigureTable.text(Double(bytes) / 1e6)) MB from a mirror of 10 MB/s"),
      Figure(
        Self.name, "wall against the bound", againstBound.ratios, unit: "ratio", target: 1.1,
        note: "the bound is the longer of all downloads and all work on packages"),
      Figure(Self.name, "wall", againstPeer.pairs.map(\.ours), unit: "s"),
      Figure(Self.name, "wall", againstPeer.pairs.map(\.theirs), unit: "s", peer: inARow),
      Figure(
        Self.name, "all downloads at 10 MB/s", [QueueLoad.bound(bytes: bytes, work: 0)], unit: "s",
        note: "by their size"),
      Figure(
        Self.name, "all work on packages, archives there", work, unit: "s", peer: inARow),
    ].compactMap(\.self)
  }

  private static func peerRun(
    _ peer: AptProgram, _ ground: ComparisonGround, _ load: QueueLoad
  ) async throws -> Double {
    try await ground.onFreshRoot { root in
      try await inARow(peer, load, on: root)
    }
  }

  /// The same calls on a root where every archive lies ready.
  private static func workRun(
    _ peer: AptProgram, _ ground: ComparisonGround, _ load: QueueLoad
  ) async throws -> Double {
    try await ground.onFreshRoot { root in
      _ = try await peer.install(load.wanted, options: ["--download-only"], on: root)
      return try await inARow(peer, load, options: ["--no-download"], on: root)
    }
  }

  private static func inARow(
    _ peer: AptProgram, _ load: QueueLoad, options: [String] = [], on root: PrivateRoot
  ) async throws -> Double {
    var seconds = 0.0
    for name in load.wanted {
      seconds += try await peer.install([name], options: options, on: root)
    }
    try await ComparisonGround.check(
      root, holds: Set(load.recipes.map(\.name)), after: peer.title)
    return seconds
  }

  private static func ourRun(
    _ ground: ComparisonGround, _ load: QueueLoad
  ) async throws -> Double {
    try await ground.onFreshEngine { ours in
      let seconds = try await ours.install(load.wanted.map { [$0] })
      try await ComparisonGround.check(
        ours.root, holds: Set(load.recipes.map(\.name)), after: "fettle")
      return seconds
    }
  }
}

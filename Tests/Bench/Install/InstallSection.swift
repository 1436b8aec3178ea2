/// The same install by `apt-get install` and by `fettle install --wait`, in turns.
///
/// Each run has a fresh root of its own. Both fetch from the same mirror on the loopback, which is
/// as fast as it goes, and neither gets an option that the other lacks: the peer reads the root's
/// settings and apt's own defaults. The engine runs before the clock starts, as a service does.
struct InstallSection: Section {
  static let name = "install"

  func measure(_ effort: Effort, _ say: @Sendable (String) -> Void) async throws -> [Figure] {
    let recipes = InstallRecipes.made(InstallRecipes.count(effort))
    say("building \(recipes.count) packages")
    let ground = try await ComparisonGround(recipes, pace: .unlimited)
    defer { ground.remove() }
    let peer = try await AptProgram(on: ground)
    let names = Set(recipes.map(\.name))
    say("\(effort.pairs) pairs of installs of \(names.count) packages")
    var times = PairedSamples()
    var processor: [Double] = []
    for pair in 0..<effort.pairs {
      try Task.checkCancellation()
      var theirs = 0.0
      // What a run leaves to the next, warm files, shall not help the same one always.
      if pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, names) }
      let ours = try await Self.ourRun(ground, names)
      if !pair.isMultiple(of: 2) { theirs = try await Self.peerRun(peer, ground, names) }
      times.add(ours: ours.wall, theirs: theirs)
      processor.append(ours.processor / ours.wall * 100)
      say("pair \(pair + 1): \(FigureTable.text(ours.wall)) s and \(FigureTable.text(theirs)) s")
    }
    let nala = try await NalaProgram.judge(on: ground, names)
    return [
      Figure(
        Self.name, "wall against the peer's", times.ratios, unit: "ratio", target: 1.1,
        peer: peer.title,
        note: "\(names.count) packages, each run on a fresh root; moonshot 1.00; \(nala)"),
      Figure(Self.name, "wall", times.pairs.map(\.ours), unit: "s"),
      Figure(Self.name, "wall", times.pairs.map(\.theirs), unit: "s", peer: peer.title),
      Figure(
        Self.name, "processor time of the engine itself", processor, unit: "%", target: 1,
        note: "of one processor, over the wall time; workers and tools are not in it"),
    ].compactMap(\.self)
  }

  private static func peerRun(
    _ peer: AptProgram, _ ground: ComparisonGround, _ names: Set<String>
  ) async throws -> Double {
    try await ground.onFreshRoot { root in
      let seconds = try await peer.install([InstallRecipes.wanted], on: root)
      try await ComparisonGround.check(root, holds: names, after: peer.title)
      return seconds
    }
  }

  private static func ourRun(
    _ ground: ComparisonGround, _ names: Set<String>
  ) async throws -> (wall: Double, processor: Double) {
    try await ground.onFreshEngine { ours in
      let before = try await ours.processorTime()
      let seconds = try await ours.install([[InstallRecipes.wanted]])
      let spent = try await ours.processorTime() - before
      try await ComparisonGround.check(ours.root, holds: names, after: "fettle")
      return (seconds, spent)
    }
  }
}

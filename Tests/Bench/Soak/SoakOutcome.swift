/// What a soak came to.
struct SoakOutcome: Sendable {
  /// The jobs of each engine.
  var tallies: [String: SoakLane.Tally] = [:]
  /// The memory of each process that was there from beginning to end.
  var memory: [String: MemoryTrack] = [:]
  /// The share of it that is in no file.
  var anonymous: [String: MemoryTrack] = [:]
  /// The processes that are there from beginning to end.
  var watched: [String: Int32] = [:]
  /// How many monitors came and went.
  var visits = 0

  /// The figures; a short run has no target for memory, which has not come to rest in it.
  func figures(
    _ section: String, _ plan: SoakPlan, audits: [Int], seed: UInt64, isFull: Bool
  ) -> [Figure] {
    let all = tallies.values
    func zero(_ name: String, _ samples: [Int]) -> Figure? {
      Figure(
        section, name, samples.map(Double.init), value: Double(samples.reduce(0, +)),
        unit: "count", target: 0)
    }
    let jobs = all.map(\.jobs).reduce(0, +)
    var figures = [
      Figure(
        section, "jobs", [Double(jobs)], unit: "count", target: Double(plan.simulated + plan.real),
        better: .higher,
        note: "\(plan.real) of them real; \(visits) monitors came and went; "
          + "\(all.map(\.overtaken).reduce(0, +)) planned too early, as they say; seed \(seed)"),
      zero("wrong results", all.flatMap(\.wrong)),
      zero("lost events", all.map(\.lost)), zero("doubled events", all.map(\.doubled)),
      zero("audits not silent", audits),
    ]
    for (name, track) in memory.sorted(by: { $0.key < $1.key }) {
      guard let growth = track.growth else { continue }
      func quarters(of track: MemoryTrack?) -> String {
        (1...4).compactMap { track?.median(ofQuarter: $0) }
          .map { FigureTable.text($0 / 1_000_000) }.joined(separator: ", ")
      }
      figures.append(
        Figure(
          section, "memory, last quarter against the second: \(name)", [growth], unit: "ratio",
          target: isFull ? 1.05 : nil,
          note: "resident, MB by quarter: \(quarters(of: track)); in no file: "
            + quarters(of: anonymous[name])))
    }
    return figures.compactMap(\.self)
  }
}

/// What a campaign of kills has counted.
struct ChaosTally: Sendable, Hashable {
  /// How often each victim was killed while a job was at work.
  var kills: [Victim: Int] = [:]
  /// For each job that is over, the number of faults of its result.
  var wrong: [Int] = []
  /// For each job, 1 where `dpkg --audit` was not silent when it had to be.
  var audits: [Int] = []
  /// For each job, how many packages were configured twice.
  var twice: [Int] = []
  /// For each engine's life work, the events lost and doubled.
  var lost: [Int] = []
  var doubled: [Int] = []
  /// For each ssh link that was cut, the monitors at its other end that outlived it.
  var leftBehind: [Int] = []
  /// How many of the jobs were repairs after dpkg was killed.
  var repairs = 0

  /// All kills.
  var count: Int { kills.values.reduce(0, +) }

  /// Adds what another campaign counted.
  mutating func add(_ other: ChaosTally) {
    kills.merge(other.kills, uniquingKeysWith: +)
    wrong += other.wrong
    audits += other.audits
    twice += other.twice
    lost += other.lost
    doubled += other.doubled
    leftBehind += other.leftBehind
    repairs += other.repairs
  }

  /// The figures of a campaign that was to kill so often.
  func figures(_ section: String, wanted: Int, seed: UInt64) -> [Figure] {
    let parts = Victim.allCases.map { "\(Self.words[$0] ?? $0.rawValue) \(kills[$0] ?? 0)" }
    func zero(_ name: String, _ samples: [Int], note: String? = nil) -> Figure? {
      Figure(
        section, name, samples.map(Double.init), value: Double(samples.reduce(0, +)),
        unit: "count", target: 0, note: note)
    }
    return [
      Figure(
        section, "kills", [Double(count)], unit: "count", target: Double(wanted), better: .higher,
        note: parts.joined(separator: ", ") + "; seed \(seed)"),
      Figure(
        section, "jobs", [Double(wrong.count)], unit: "count", better: .higher,
        note: "\(repairs) of them repairs after dpkg was killed"),
      zero("wrong results", wrong),
      zero("lost events", lost), zero("doubled events", doubled),
      zero(
        "audits not silent", audits, note: "where dpkg was killed: after the repair"),
      zero("installed twice", twice, note: "where dpkg was not killed"),
      zero("monitors that outlive their ssh link", leftBehind),
    ].compactMap(\.self)
  }

  private static let words: [Victim: String] = [
    .engine: "engine", .worker: "worker", .client: "monitor or watch", .link: "ssh link",
    .session: "worker's session with dpkg",
  ]
}

internal import InstallJobs

/// What the power cuts have counted.
struct PowerCutTally: Sendable, Hashable {
  /// The state of the job when the power went.
  var moments: [JobState: Int] = [:]
  /// For each cut, how many results were not what the package database of the copy says.
  var wrong: [Int] = []
  /// For each cut, events lost and doubled in the copy's journal.
  var lost: [Int] = []
  var doubled: [Int] = []
  /// For each cut, 1 where `dpkg --audit` was not silent after a repair.
  var audits: [Int] = []
  /// How many were repaired.
  var repairs = 0

  /// Adds what another lane counted.
  mutating func add(_ other: PowerCutTally) {
    moments.merge(other.moments, uniquingKeysWith: +)
    wrong += other.wrong
    lost += other.lost
    doubled += other.doubled
    audits += other.audits
    repairs += other.repairs
  }

  /// The figures of a campaign that was to cut so often.
  func figures(_ section: String, wanted: Int, seed: UInt64) -> [Figure] {
    func zero(_ name: String, _ samples: [Int]) -> Figure? {
      Figure(
        section, name, samples.map(Double.init), value: Double(samples.reduce(0, +)),
        unit: "count", target: 0)
    }
    let parts = moments.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { "\($0.key.rawValue) \($0.value)" }
    return [
      Figure(
        section, "cuts", [Double(wrong.count)], unit: "count", target: Double(wanted),
        better: .higher, note: parts.joined(separator: ", ") + "; seed \(seed)"),
      Figure(section, "repairs", [Double(repairs)], unit: "count"),
      zero("wrong results", wrong), zero("lost events", lost), zero("doubled events", doubled),
      zero("audits not silent", audits),
    ].compactMap(\.self)
  }
}

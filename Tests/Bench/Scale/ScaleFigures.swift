/// The figures of one size after the other.
struct ScaleFigures: Sendable {
  /// What is counted: `jobs in history`, `updates in one job`.
  let things: String
  private(set) var figures: [Figure] = []
  private var samples: [String: [Int: [Double]]] = [:]

  init(of things: String) { self.things = things }

  /// Adds what was measured at one size; nothing where there is no sample.
  mutating func add(
    _ name: String, at size: Int, _ values: [Double], unit: String, target: Double? = nil,
    note: String? = nil
  ) {
    samples[name, default: [:]][size] = values
    figures += [
      Figure(
        ScaleSection.name, "\(name), \(size) \(things)", values, unit: unit, target: target,
        note: note)
    ].compactMap(\.self)
  }

  /// Adds a remark to the last figure.
  mutating func addRemark(_ remark: String) {
    guard let last = figures.indices.last else { return }
    figures[last].note = [figures[last].note, remark].compactMap(\.self).joined(separator: "; ")
  }

  /// Adds how one size compares with another; nothing where one of them was not measured.
  mutating func compare(
    _ name: String, _ size: Int, with other: Int, target: Double? = nil, note: String? = nil
  ) {
    var pairs = PairedSamples()
    for (large, small) in zip(samples[name]?[size] ?? [], samples[name]?[other] ?? []) {
      pairs.add(ours: large, theirs: small)
    }
    figures += [
      Figure(
        ScaleSection.name, "\(name), \(size) \(things) against \(other)", pairs.ratios,
        unit: "ratio", target: target, note: note)
    ].compactMap(\.self)
  }
}

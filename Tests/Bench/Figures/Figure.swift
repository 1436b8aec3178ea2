/// One measured figure: an element of what `fettle-bench --json` prints.
package struct Figure: Sendable, Hashable {
  /// Which way is good.
  package enum Better: String, Sendable, Hashable, Codable {
    case lower
    case higher
  }

  /// The section that measured it.
  package var section: String
  /// What was measured, in words; unique in its section together with ``peer``.
  package var name: String
  /// The median of the samples, unless the name says otherwise.
  package var value: Double
  /// `ratio`, `s`, `ms`, `bytes`, `%`, `MB` (10⁶ bytes), `1/s`, `count`.
  package var unit: String
  /// The bound that the value must not be on the wrong side of; nil where none is promised.
  package var target: Double?
  /// Which way is good.
  package var better: Better
  /// How many samples the value stands on.
  package var samples: Int
  /// The smallest and the largest sample; nil where there was one sample only.
  package var spread: ClosedRange<Double>?
  /// The other program that the figure is of or is a ratio to, with its version.
  package var peer: String?
  /// What a reader must know to judge the figure.
  package var note: String?

  /// A figure of its samples: their median, or `value` where it is another one, and how far they
  /// lie apart; nil of no samples.
  package init?(
    _ section: String, _ name: String, _ samples: [Double], value: Double? = nil, unit: String,
    target: Double? = nil, better: Better = .lower, peer: String? = nil, note: String? = nil
  ) {
    guard let least = samples.min(), let most = samples.max(), let median = samples.median else {
      return nil
    }
    self.section = section
    self.name = name
    self.value = value ?? median
    self.unit = unit
    self.target = target
    self.better = better
    self.samples = samples.count
    self.spread = samples.count > 1 ? least...most : nil
    self.peer = peer
    self.note = note
  }

  /// Whether the value is on the right side of the target; nil where there is none.
  package var isReached: Bool? {
    target.map { better == .lower ? value <= $0 : value >= $0 }
  }
}

extension Figure: Encodable {
  private enum Key: String, CodingKey {
    case section, figure, value, unit, target, better, reached, samples, spread, peer, note
  }

  /// Writes the form of the JSON contract, with null for what is absent.
  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(section, forKey: .section)
    try box.encode(name, forKey: .figure)
    try box.encode(value.rounded(toPlaces: 3), forKey: .value)
    try box.encode(unit, forKey: .unit)
    try box.encode(target, forKey: .target)
    try box.encode(better, forKey: .better)
    try box.encode(isReached, forKey: .reached)
    try box.encode(samples, forKey: .samples)
    try box.encode(
      spread.map { [$0.lowerBound, $0.upperBound].map { $0.rounded(toPlaces: 3) } },
      forKey: .spread)
    try box.encode(peer, forKey: .peer)
    try box.encode(note, forKey: .note)
  }
}

extension Double {
  /// The value with so many digits after the point.
  fileprivate func rounded(toPlaces places: Int) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return (self * scale).rounded() / scale
  }
}

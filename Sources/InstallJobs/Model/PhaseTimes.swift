/// The times at which a package entered each of its phases, by the engine's clock.
///
/// The engine records a phase when it reads about it. After a restart of the engine, phases that
/// passed in the meantime have the time of reading.
public struct PhaseTimes: Sendable, Hashable {
  /// A phase and its start.
  public struct Entry: Sendable, Hashable {
    /// The phase.
    public var phase: UpdatePhase
    /// When the phase started.
    package var at: Timestamp

    /// Creates a value from its parts.
    package init(_ phase: UpdatePhase, at: Timestamp) {
      self.phase = phase
      self.at = at
    }
  }

  /// The phases in order of occurrence, each at most once.
  public private(set) var entries: [Entry] = []

  /// Creates a value without phases.
  public init() {}

  /// When `phase` started; nil if it has not.
  package subscript(phase: UpdatePhase) -> Timestamp? { entries.first { $0.phase == phase }?.at }

  /// Records the start of a phase; only the first call for a phase has an effect.
  package mutating func record(_ phase: UpdatePhase, at time: Timestamp) {
    guard self[phase] == nil else { return }
    entries.append(Entry(phase, at: time))
  }

  /// Returns when `phase` ended, which is the start of the next phase; nil while it lasts.
  package func end(of phase: UpdatePhase) -> Timestamp? {
    guard let index = entries.firstIndex(where: { $0.phase == phase }),
      entries.indices.contains(index + 1)
    else { return nil }
    return entries[index + 1].at
  }
}

extension PhaseTimes: Codable {
  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes `{"unpacking": "2026-01-31T23:59:59.000Z", …}`; unknown phases of a newer engine are
  /// ignored.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Name.self)
    for key in box.allKeys {
      guard let phase = UpdatePhase(rawValue: key.stringValue) else { continue }
      entries.append(Entry(phase, at: try box.decode(Timestamp.self, forKey: key)))
    }
    // Not sorted by time, because the clock may have been set back in between.
    entries.sort { $0.phase < $1.phase }
  }

  /// Encodes the form that `init(from:)` decodes; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Name.self)
    for entry in entries {
      try box.encode(entry.at, forKey: Name(stringValue: entry.phase.rawValue))
    }
  }
}

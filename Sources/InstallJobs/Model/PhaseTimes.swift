/// When a package entered each of its phases, by the engine's clock.
///
/// The engine notes a phase when it learns of it, so after a restart of the engine the phases that
/// went by meanwhile carry the time at which they were read.
public struct PhaseTimes: Sendable, Hashable {
  /// A phase and when it began.
  public struct Entry: Sendable, Hashable {
    /// The phase.
    public var phase: UpdatePhase
    /// When it began.
    package var at: Timestamp

    /// A value of its parts.
    package init(_ phase: UpdatePhase, at: Timestamp) {
      self.phase = phase
      self.at = at
    }
  }

  /// The phases in the order in which they came, each at most once.
  public private(set) var entries: [Entry] = []

  /// No phase has begun.
  public init() {}

  /// When `phase` began; nil when it has not.
  package subscript(phase: UpdatePhase) -> Timestamp? { entries.first { $0.phase == phase }?.at }

  /// Notes the beginning of a phase; the first one counts.
  package mutating func note(_ phase: UpdatePhase, at time: Timestamp) {
    guard self[phase] == nil else { return }
    entries.append(Entry(phase, at: time))
  }

  /// When `phase` was over: when a later one began; nil while it goes on.
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

  /// Reads `{"unpacking": "2026-01-31T23:59:59.000Z", …}`; a phase of a newer engine is left out.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Name.self)
    for key in box.allKeys {
      guard let phase = UpdatePhase(rawValue: key.stringValue) else { continue }
      entries.append(Entry(phase, at: try box.decode(Timestamp.self, forKey: key)))
    }
    // Not by time: the clock may have been set back between two of them.
    entries.sort { $0.phase < $1.phase }
  }

  /// Writes the form that `init(from:)` reads; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Name.self)
    for entry in entries {
      try box.encode(entry.at, forKey: Name(stringValue: entry.phase.rawValue))
    }
  }
}

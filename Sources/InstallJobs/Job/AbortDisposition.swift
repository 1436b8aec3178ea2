/// The answer to a request to abort: given at once and kept exactly (rows B15 to B22).
public enum AbortDisposition: Sendable, Hashable {
  /// The job will stop.
  ///
  /// `stopsAfter` is the last package that will be worked on, by name; nil when the job stops at once:
  /// between two packages, or before the first. `etaSeconds` is the expected wait, when known; see
  /// ``remaining``. Of the same job asked again the name is the same, and the wait is what is left of it.
  case accepted(stopsAfter: String?, etaSeconds: Double? = nil)
  /// The job goes on to its natural end.
  case refused(reason: AbortRefusal)
  /// There is nothing left to abort.
  case alreadyCompleted

  /// The expected time until the job stops; nil where it is not known, or nothing stops.
  public var remaining: Duration? {
    guard case .accepted(_, let seconds?) = self, seconds.isFinite else { return nil }
    return .seconds(min(max(seconds, 0), 1e9))
  }

  /// The last package that will be worked on, by name; nil where none is, or nothing stops.
  public var stopsAfter: String? {
    if case .accepted(let name, _) = self { name } else { nil }
  }
}

extension AbortDisposition {
  /// The answer without how long it will take.
  package var untimed: AbortDisposition {
    if case .accepted(let name, _) = self { .accepted(stopsAfter: name) } else { self }
  }
}

/// Why an abort is refused.
public struct AbortRefusal: Sendable, Hashable, Codable {
  /// The kinds of reasons.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The last step is already running, there is nothing after it to leave out (row B18).
    case finalStep
    /// The result is being verified.
    case verifying
    /// The request cannot be written where the work would find it: nothing is promised.
    case undeliverable
    /// The caller may not act on this job.
    case notPermitted
  }

  /// Which kind it is.
  public var code: Code
  /// One line for the screen (row B22).
  public var message: String

  /// A value of its parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The refusal in the last step.
  public static func finalStep(_ name: String) -> AbortRefusal {
    AbortRefusal(.finalStep, "\(name) is the last step and is already running")
  }
}

/// A request to abort as the job carries it: who asked, when, and what was answered.
public struct AbortRecord: Sendable, Hashable {
  /// When it was asked for.
  package var requestedAt: Timestamp
  /// When the work had answered it; nil in the word of an engine that does not tell.
  ///
  /// What was promised is kept from here on. When an abort took effect is the job's `endedAt`, where
  /// its result is `aborted`.
  package var acknowledgedAt: Timestamp?
  /// Who asked.
  public var requestedBy: Requester
  /// What was answered.
  public var disposition: AbortDisposition

  /// A value of its parts.
  package init(
    requestedAt: Timestamp, requestedBy: Requester, disposition: AbortDisposition,
    acknowledgedAt: Timestamp? = nil
  ) {
    self.requestedAt = requestedAt
    self.acknowledgedAt = acknowledgedAt
    self.requestedBy = requestedBy
    self.disposition = disposition
  }
}

extension AbortDisposition {
  fileprivate enum Key: String, CodingKey {
    case disposition, stopsAfter, etaSeconds, reason, reasonCode
  }

  /// The word of the JSON contract.
  public var word: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "refused"
    case .alreadyCompleted: "alreadyCompleted"
    }
  }
}

extension AbortDisposition: Codable {
  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch try container.decode(String.self, forKey: .disposition) {
    case "accepted":
      self = .accepted(
        stopsAfter: try container.decodeIfPresent(String.self, forKey: .stopsAfter),
        etaSeconds: try container.decodeIfPresent(Double.self, forKey: .etaSeconds))
    case "refused":
      self = .refused(
        reason: AbortRefusal(
          try container.decode(AbortRefusal.Code.self, forKey: .reasonCode),
          try container.decode(String.self, forKey: .reason)))
    case "alreadyCompleted": self = .alreadyCompleted
    case let word:
      throw DecodingError.dataCorruptedError(
        forKey: .disposition, in: container, debugDescription: "unknown disposition '\(word)'")
    }
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(word, forKey: .disposition)
    switch self {
    case .accepted(let stopsAfter, let etaSeconds):
      try container.encode(stopsAfter, forKey: .stopsAfter)
      try container.encode(etaSeconds, forKey: .etaSeconds)
    case .refused(let reason):
      try container.encode(reason.message, forKey: .reason)
      try container.encode(reason.code, forKey: .reasonCode)
    case .alreadyCompleted: break
    }
  }
}

extension AbortRecord: Codable {
  private enum Key: String, CodingKey { case requestedAt, requestedBy, acknowledgedAt }

  /// Reads the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      requestedAt: try container.decode(Timestamp.self, forKey: .requestedAt),
      requestedBy: try container.decode(Requester.self, forKey: .requestedBy),
      disposition: try AbortDisposition(from: decoder),
      acknowledgedAt: try container.decodeIfPresent(Timestamp.self, forKey: .acknowledgedAt))
  }

  /// Writes the form of the JSON contract; throws what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(requestedAt, forKey: .requestedAt)
    try container.encode(requestedBy, forKey: .requestedBy)
    try container.encodeIfPresent(acknowledgedAt, forKey: .acknowledgedAt)
    try disposition.encode(to: encoder)
  }
}

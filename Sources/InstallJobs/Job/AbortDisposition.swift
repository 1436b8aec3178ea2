/// The answer to a request to abort; the engine gives it at once and keeps to it (rows B15 to B22).
public enum AbortDisposition: Sendable, Hashable {
  /// The job will stop.
  ///
  /// `stopsAfter` is the name of the last package that the job will work on; nil if the job stops
  /// at once, between two packages or before the first. `etaSeconds` is the expected time until
  /// then, if known; see ``remaining``. A repeated request gets the same name and the remaining
  /// time.
  case accepted(stopsAfter: String?, etaSeconds: Double? = nil)
  /// The job does not stop and continues to its end.
  case refused(reason: AbortRefusal)
  /// The job is already over.
  case alreadyCompleted

  /// The expected time until the job stops; nil if unknown or if the job does not stop.
  public var remaining: Duration? {
    guard case .accepted(_, let seconds?) = self, seconds.isFinite else { return nil }
    return .seconds(min(max(seconds, 0), 1e9))
  }

  /// The name of the last package that the job will work on; nil if there is none or the job does
  /// not stop.
  public var stopsAfter: String? {
    if case .accepted(let name, _) = self { name } else { nil }
  }
}

extension AbortDisposition {
  /// The answer without the expected time.
  package var untimed: AbortDisposition {
    if case .accepted(let name, _) = self { .accepted(stopsAfter: name) } else { self }
  }
}

/// Why an abort is refused.
public struct AbortRefusal: Sendable, Hashable, Codable {
  /// The kinds of reasons.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The last step is already running, so nothing is left to skip (row B18).
    case finalStep
    /// The result is being verified.
    case verifying
    /// The request cannot be written where the job's worker reads it, so the engine promises
    /// nothing.
    case undeliverable
    /// The user may not act on this job.
    case notPermitted
  }

  /// The kind of reason.
  public var code: Code
  /// One line for display (row B22).
  public var message: String

  /// Creates a value from its parts.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Creates the refusal for a job in its last step.
  public static func finalStep(_ name: String) -> AbortRefusal {
    AbortRefusal(.finalStep, "\(name) is the last step and is already running")
  }
}

/// A request to abort with the answer, as stored in the job.
public struct AbortRecord: Sendable, Hashable {
  /// When the abort was requested.
  package var requestedAt: Timestamp
  /// When the job's worker had answered; nil from an engine that does not report it.
  ///
  /// The answer is binding from this time on. If the job's result is `aborted`, the abort took
  /// effect at the job's `endedAt`.
  package var acknowledgedAt: Timestamp?
  /// The user who requested the abort.
  public var requestedBy: Requester
  /// The answer.
  public var disposition: AbortDisposition

  /// Creates a value from its parts.
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

  /// The value of `disposition` in the JSON contract.
  public var word: String {
    switch self {
    case .accepted: "accepted"
    case .refused: "refused"
    case .alreadyCompleted: "alreadyCompleted"
    }
  }
}

extension AbortDisposition: Codable {
  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
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

  /// Encodes the form of the JSON contract; throws the encoder's errors.
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

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      requestedAt: try container.decode(Timestamp.self, forKey: .requestedAt),
      requestedBy: try container.decode(Requester.self, forKey: .requestedBy),
      disposition: try AbortDisposition(from: decoder),
      acknowledgedAt: try container.decodeIfPresent(Timestamp.self, forKey: .acknowledgedAt))
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(requestedAt, forKey: .requestedAt)
    try container.encode(requestedBy, forKey: .requestedBy)
    try container.encodeIfPresent(acknowledgedAt, forKey: .acknowledgedAt)
    try disposition.encode(to: encoder)
  }
}

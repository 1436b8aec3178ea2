extension JobEvent: Codable {
  private enum Key: String, CodingKey {
    case seq, at, job, type, snapshot, change, tick, index, update, abort, by, offset, text
    case outcome, notice, verification, standing
  }

  /// Decodes the form of the JSON contract; throws `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    self.init(
      seq: try box.decode(Int.self, forKey: .seq),
      at: try box.decode(Timestamp.self, forKey: .at),
      job: try box.decodeIfPresent(JobID.self, forKey: .job),
      payload: try Self.payload(of: try box.decode(String.self, forKey: .type), in: box),
      progressMark: try box.decodeIfPresent(ProgressMark.self, forKey: .standing))
  }

  private static func payload(of type: String, in box: KeyedDecodingContainer<Key>) throws
    -> Payload
  {
    switch type {
    case "submitted": .submitted(try box.decode(JobSnapshot.self, forKey: .snapshot))
    case "state": .state(try box.decode(JobStateChange.self, forKey: .change))
    case "progress": .progress(try box.decode(JobProgressTick.self, forKey: .tick))
    case "update":
      .update(
        index: try box.decode(Int.self, forKey: .index),
        status: try box.decode(UpdateStatus.self, forKey: .update))
    case "abortRequested": .abortRequested(try box.decode(AbortRecord.self, forKey: .abort))
    case "abortWithdrawn": .abortWithdrawn(by: try box.decode(Requester.self, forKey: .by))
    case "log":
      .log(
        offset: try box.decode(Int64.self, forKey: .offset),
        text: try box.decode(String.self, forKey: .text))
    case "completed": .completed(try box.decode(JobOutcome.self, forKey: .outcome))
    case "cleanedUp": .cleanedUp(by: try box.decode(Requester.self, forKey: .by))
    case "verifiedAfterReboot":
      .verifiedAfterReboot(try box.decode(RebootVerification.self, forKey: .verification))
    case "engine": .engine(try box.decode(EngineNotice.self, forKey: .notice))
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: box, debugDescription: "unknown type of event '\(type)'")
    }
  }

  /// Encodes the form of the JSON contract; throws the encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(seq, forKey: .seq)
    try box.encode(at, forKey: .at)
    try box.encode(job, forKey: .job)
    try box.encode(payload.type, forKey: .type)
    try box.encodeIfPresent(progressMark, forKey: .standing)
    switch payload {
    case .submitted(let snapshot): try box.encode(snapshot, forKey: .snapshot)
    case .state(let change): try box.encode(change, forKey: .change)
    case .progress(let tick): try box.encode(tick, forKey: .tick)
    case .update(let index, let status):
      try box.encode(index, forKey: .index)
      try box.encode(status, forKey: .update)
    case .abortRequested(let record): try box.encode(record, forKey: .abort)
    case .abortWithdrawn(let requester), .cleanedUp(let requester):
      try box.encode(requester, forKey: .by)
    case .log(let offset, let text):
      try box.encode(offset, forKey: .offset)
      try box.encode(text, forKey: .text)
    case .completed(let outcome): try box.encode(outcome, forKey: .outcome)
    case .verifiedAfterReboot(let verification):
      try box.encode(verification, forKey: .verification)
    case .engine(let notice): try box.encode(notice, forKey: .notice)
    }
  }
}

internal import InstallJobs

/// A status change of one package for a client that announced the capability `updates`: the
/// notification `update` with the parameters `[subscription, [seq, at, job, index, update, …]]`,
/// written without spaces and in this order.
///
/// Besides progress, these events are nearly all of the traffic of an install. As JSON objects,
/// decoding them would cost a client more than all of its processing of them.
enum UpdateMessage {
  private static let envelope = TupleEnvelope(method)
  /// The value of `method`.
  static let method = "update"

  /// The message with the event; nil for an event that has no array form.
  static func message(subscription: Int, _ event: JobEvent) throws -> [UInt8]? {
    guard case .update(let index, let status) = event.payload, let job = event.job else {
      return nil
    }
    return try envelope.message(subscription: subscription) { parameters in
      try parameters.tuple { row in
        row.number(event.seq)
        row.number(event.at.milliseconds)
        row.number(job.rawValue)
        row.number(index)
        try row.update(status)
        row.progressMark(event.progressMark)
      }
    }
  }

  /// The event in a message; nil for a message of another method.
  ///
  /// A message that cannot be read is treated as an unknown event: a newer engine may use other
  /// words.
  static func read(_ message: [UInt8]) -> WireNotification? {
    var event: JobEvent?
    do {
      let subscription = try envelope.read(message) { event = try $0.updateEvent() }
      guard let subscription else { return nil }
      return event.map { .event(subscription: subscription, $0) } ?? .unknown
    } catch {
      return .unknown
    }
  }
}

extension TupleWriter {
  fileprivate mutating func progressMark(_ standing: JobEvent.ProgressMark?) {
    guard let standing else { return absent() }
    tuple { row in
      row.number(standing.percentComplete)
      row.number(standing.logLength)
      // In other arrays the usual disposition is written as absent. Here absent means that none was
      // recorded.
      if let preview = standing.abortPreview {
        row.flag(true)
        row.disposition(preview)
      }
    }
  }
}

extension TupleReader {
  fileprivate mutating func updateEvent() throws -> JobEvent? {
    var event: JobEvent?
    try tuple { row in
      let seq = try row.known(try row.integer())
      let at = try row.known(try row.time())
      let job = JobID(try row.known(try row.integer()))
      let index = try row.known(try row.integer())
      let status = try row.update(after: nil)
      event = JobEvent(
        seq: seq, at: at, job: job, payload: .update(index: index, status: status),
        progressMark: try row.progressMark())
    }
    return event
  }

  private mutating func progressMark() throws -> JobEvent.ProgressMark? {
    var standing: JobEvent.ProgressMark?
    try tuple { row in
      var read = JobEvent.ProgressMark(
        percentComplete: try row.known(try row.real()), logLength: try row.number())
      if try row.flag() { read.abortPreview = try row.disposition() }
      standing = read
    }
    return standing
  }
}

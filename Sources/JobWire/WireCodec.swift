internal import FoundationEssentials
package import InstallJobs

/// Turns messages into lines and lines into messages.
///
/// Lines are given and taken without their line feed, except where ``lines(of:)`` says otherwise.
package struct WireCodec: Sendable {
  private let limit: Int
  /// Whether jobs of a snapshot are written as rows, for a peer that has announced the capability
  /// ``WireProtocol/rows``; both forms are always read.
  package var writesRows = false
  /// Whether progress of several jobs may be written as one message, for a peer that has announced
  /// the capability ``WireProtocol/ticks``.
  package var writesTicks = false
  /// Whether what happened to a package may be written as an array, for a peer that has announced
  /// the capability ``WireProtocol/updates``.
  package var writesUpdates = false

  /// A codec for lines of at most `limit` bytes.
  package init(limit: Int = WireProtocol.maximumLine) { self.limit = limit }

  // MARK: The engine's side

  /// Reads a line from a client; what cannot be read is answered with the fault in the result.
  package func request(_ line: [UInt8]) -> IncomingRequest {
    // swift-foundation repairs broken UTF-8 in strings; a request is better refused than repaired.
    guard String(validating: line, as: UTF8.self) != nil else {
      return IncomingRequest(id: nil, body: .failure(.notJSON))
    }
    do {
      return try JSONDecoder().decode(IncomingRequest.self, from: Data(line))
    } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
      return IncomingRequest(id: nil, body: .failure(.notRequest("not an object")))
    } catch {
      return IncomingRequest(id: nil, body: .failure(.notJSON))
    }
  }

  /// The message that answers a request.
  package func reply(_ id: RequestID?, _ result: some Encodable) throws -> [UInt8] {
    try Self.encode(ReplyEnvelope(id: id, result: result))
  }

  /// The same with a job, of however many packages.
  package func reply(_ id: RequestID?, _ job: JobSnapshot) throws -> [UInt8] {
    try PackageListJSON.encode(job) { try Self.encode(ReplyEnvelope(id: id, result: $0)) }
  }

  /// The same with a list of jobs, each of them encoded by itself: an encoder builds a tree of the whole
  /// before it writes, and that of 200 small jobs took 5 MB for 260 kB of text.
  package func reply(_ id: RequestID?, _ jobs: [JobSnapshot]) throws -> [UInt8] {
    var list: [UInt8] = []
    for job in jobs {
      list.append(UInt8(ascii: list.isEmpty ? "[" : ","))
      list += try PackageListJSON.encode(job) { try Self.encode($0) }
    }
    let bare = try Self.encode(ReplyEnvelope(id: id, result: [JobSnapshot]()))
    guard !jobs.isEmpty else { return bare }
    list.append(UInt8(ascii: "]"))
    return try PackageListJSON.insert([("result", list)], into: bare)
      ?? Self.encode(ReplyEnvelope(id: id, result: jobs))
  }

  /// The message that answers a request that failed.
  package func reply(_ id: RequestID?, _ fault: WireFault) throws -> [UInt8] {
    try Self.encode(FaultEnvelope(id: id, error: fault))
  }

  /// The message of a notification.
  package func notification(_ notification: WireNotification) throws -> [UInt8] {
    if writesRows, case .snapshot(let subscription, let jobs) = notification {
      return try RowsMessage.message(subscription: subscription, jobs)
    }
    if case .ticks(let subscription, let events) = notification {
      return try TicksMessage.message(subscription: subscription, events)
    }
    if case .event(let subscription, let event) = notification {
      if writesUpdates,
        let message = try UpdateMessage.message(subscription: subscription, event)
      {
        return message
      }
      if let text = PackageListJSON.text(of: event) {
        return Self.head(ofEventFor: subscription) + text + "}}".utf8
      }
      return try PackageListJSON.encode(event) {
        try Self.encode(WireNotification.event(subscription: subscription, $0))
      }
    }
    return try Self.encode(notification)
  }

  private static func head(ofEventFor subscription: Int) -> [UInt8] {
    Array(
      (#"{"jsonrpc":"\#(WireProtocol.framing)","method":"event","params":"#
        + #"{"subscription":\#(subscription),"event":"#).utf8)
  }

  /// The lines that carry a message, each with its line feed: one, or the parts of a long one.
  package func lines(of message: [UInt8]) throws -> [[UInt8]] {
    guard message.count > limit else { return [message + [0x0A]] }
    // Quoting a text of JSON at most doubles it; the rest of the line is the envelope.
    let size = max(4, (limit - 256) / 2)
    var lines: [[UInt8]] = []
    var start = message.startIndex
    while start < message.endIndex {
      var end = min(start + size, message.endIndex)
      while end < message.endIndex, message[end] & 0xC0 == 0x80 { end -= 1 }
      let text = String(decoding: message[start..<end], as: UTF8.self)
      let part = WireNotification.part(text: text, last: end == message.endIndex)
      lines.append(try Self.encode(part) + [0x0A])
      start = end
    }
    return lines
  }

  // MARK: The client's side

  /// The message of a request.
  package func request(_ request: OutgoingRequest) throws -> [UInt8] { try Self.encode(request) }

  /// A message from an engine.
  package enum Incoming: Sendable {
    /// The answer to the request with this id; decode the line again with the expected type.
    case reply(RequestID?, WireFault?)
    case notification(WireNotification)
  }

  /// Tells what a message from an engine is.
  ///
  /// - Throws: When it is not one.
  package func incoming(_ message: [UInt8]) throws -> Incoming {
    if let rows = try RowsMessage.read(message) { return .notification(rows) }
    if let ticks = TicksMessage.read(message) { return .notification(ticks) }
    if let update = UpdateMessage.read(message) { return .notification(update) }
    return try Self.decoder.decode(Message.self, from: Data(message)).incoming
  }

  /// The result in a reply.
  ///
  /// - Throws: When the result does not have the expected shape.
  package func result<R: Decodable>(_ type: R.Type, of message: [UInt8]) throws -> R {
    try Self.decoder.decode(ResultOnly<R>.self, from: Data(message)).result
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }

  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // A number that JSON cannot write must not cost the reader the whole message.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [UInt8](try encoder.encode(value))
  }
}

private struct ReplyEnvelope<R: Encodable>: Encodable {
  var jsonrpc = WireProtocol.framing
  var id: RequestID?
  var result: R

  enum Key: String, CodingKey { case jsonrpc, id, result }

  func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(jsonrpc, forKey: .jsonrpc)
    try box.encode(id, forKey: .id)
    try box.encode(result, forKey: .result)
  }
}

private struct FaultEnvelope: Encodable {
  var jsonrpc = WireProtocol.framing
  var id: RequestID?
  var error: WireFault

  enum Key: String, CodingKey { case jsonrpc, id, error }

  func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: Key.self)
    try box.encode(jsonrpc, forKey: .jsonrpc)
    try box.encode(id, forKey: .id)
    try box.encode(error, forKey: .error)
  }
}

private struct Message: Decodable {
  var incoming: WireCodec.Incoming

  enum Key: String, CodingKey { case jsonrpc, id, method, result, error }

  init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    guard try box.decode(String.self, forKey: .jsonrpc) == WireProtocol.framing else {
      throw WireFault.notRequest("'jsonrpc' is not \"2.0\"")
    }
    if box.contains(.method) {
      incoming = .notification(try WireNotification(from: decoder))
      return
    }
    let fault = try box.decodeIfPresent(WireFault.self, forKey: .error)
    guard fault != nil || box.contains(.result) else {
      throw WireFault.notRequest("neither method, result nor error")
    }
    incoming = .reply(try box.decodeIfPresent(RequestID.self, forKey: .id), fault)
  }
}

private struct ResultOnly<R: Decodable>: Decodable {
  var result: R
}

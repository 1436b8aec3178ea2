internal import FoundationEssentials
internal import InstallJobs

/// Encodes messages to lines, and decodes lines to messages.
///
/// All lines are without their line feed, except the result of ``lines(of:)``.
package struct WireCodec: Sendable {
  private let limit: Int
  /// Whether jobs of a snapshot are written as rows, for a peer that announced the capability
  /// ``WireProtocol/rows``.
  ///
  /// Both forms are always read.
  package var writesRows = false
  /// Whether progress of several jobs may be written as one message, for a peer that announced the
  /// capability ``WireProtocol/ticks``.
  package var writesTicks = false
  /// Whether a status change of a package may be written as an array, for a peer that announced the
  /// capability ``WireProtocol/updates``.
  package var writesUpdates = false

  /// A codec for lines of at most `limit` bytes.
  package init(limit: Int = WireProtocol.maximumLine) { self.limit = limit }

  // MARK: The engine's side

  /// Decodes a line from a client.
  ///
  /// For a line that cannot be read, the result holds the fault to reply with.
  package func request(_ line: [UInt8]) -> IncomingRequest {
    // swift-foundation replaces invalid UTF-8 in strings; such a request must be refused instead.
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

  /// Encodes the reply to a request.
  ///
  /// Jobs are encoded in a way that is suited for many packages and for many jobs.
  package func reply<Result: Encodable>(_ id: RequestID?, _ result: Result) throws -> [UInt8] {
    if let job = result as? JobSnapshot {
      return try PackageListJSON.encode(job) { try Self.encode(ReplyEnvelope(id: id, result: $0)) }
    }
    // A list of other values could be empty, and would then pass for an empty list of jobs.
    if Result.self == [JobSnapshot].self, let jobs = result as? [JobSnapshot] {
      return try reply(id, eachOf: jobs)
    }
    return try Self.encode(ReplyEnvelope(id: id, result: result))
  }

  /// Encodes each job separately: an encoder builds a tree of the whole value before it writes, and
  /// the tree of 200 small jobs took 5 MB for 260 kB of text.
  private func reply(_ id: RequestID?, eachOf jobs: [JobSnapshot]) throws -> [UInt8] {
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

  /// Encodes the reply to a failed request.
  package func reply(_ id: RequestID?, _ fault: WireFault) throws -> [UInt8] {
    try Self.encode(FaultEnvelope(id: id, error: fault))
  }

  /// Encodes a notification.
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

  /// The lines of a message, each with its line feed: one line, or several parts if the message is
  /// longer than the limit.
  package func lines(of message: [UInt8]) throws -> [[UInt8]] {
    guard message.count > limit else { return [message + [0x0A]] }
    // Quoting JSON text at most doubles its length; 256 bytes are for the rest of the line.
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

  /// Encodes a request.
  package func request(_ request: OutgoingRequest) throws -> [UInt8] { try Self.encode(request) }

  /// A message from an engine.
  package enum Incoming: Sendable {
    /// The reply to the request with this id. Decode the message again with ``result(_:of:)``.
    case reply(RequestID?, WireFault?)
    case notification(WireNotification)
  }

  /// Decodes a message from an engine, except the result of a reply.
  ///
  /// - Throws: An error if the message is malformed.
  package func incoming(_ message: [UInt8]) throws -> Incoming {
    if let rows = try RowsMessage.read(message) { return .notification(rows) }
    if let ticks = TicksMessage.read(message) { return .notification(ticks) }
    if let update = UpdateMessage.read(message) { return .notification(update) }
    return try Self.decoder.decode(Message.self, from: Data(message)).incoming
  }

  /// Decodes the result of a reply.
  ///
  /// - Throws: An error if the result does not have the expected type.
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
    // Infinity or NaN, which JSON cannot express, must not make the whole message unreadable.
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

/// What stands around the parameters of a notification that is written as arrays:
/// `[subscription, …]`, without spaces and with its members in this order, so that a reader knows the
/// message by its first bytes.
struct TupleEnvelope: Sendable {
  private let opening: [UInt8]

  /// The envelope of a notification with this method.
  init(_ method: String) {
    opening = Array(
      #"{"jsonrpc":"\#(WireProtocol.framing)","method":"\#(method)","params":"#.utf8)
  }

  /// A message with what `body` writes behind the subscription's number.
  func message(
    subscription: Int, _ body: (inout TupleWriter) throws -> Void
  ) rethrows -> [UInt8] {
    var writer = TupleWriter(after: opening)
    try writer.tuple { parameters in
      parameters.number(subscription)
      try body(&parameters)
    }
    writer.close(with: "}".utf8)
    return writer.bytes
  }

  /// Reads a message, what stands behind the subscription's number by `body`.
  ///
  /// - Returns: The subscription's number; nil, and `body` not called, when it is another message.
  /// - Throws: What `body` throws; `TupleReader.Malformed` when the envelope is broken.
  func read(
    _ message: [UInt8], _ body: (inout TupleReader) throws -> Void
  ) throws -> Int? {
    guard message.starts(with: opening) else { return nil }
    var reader = TupleReader(message, from: opening.count)
    var subscription: Int?
    try reader.tuple { parameters in
      subscription = try parameters.integer()
      try body(&parameters)
    }
    try reader.close(with: "}".utf8)
    guard let subscription else { throw reader.malformed }
    return subscription
  }
}

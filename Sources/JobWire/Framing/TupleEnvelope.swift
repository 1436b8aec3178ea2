/// The JSON around the parameters `[subscription, …]` of a notification in array form.
///
/// It is written without spaces and in a fixed order, so that a reader recognises the message by
/// its first bytes.
struct TupleEnvelope: Sendable {
  private let opening: [UInt8]

  /// The envelope of notifications with this method.
  init(_ method: String) {
    opening = Array(
      #"{"jsonrpc":"\#(WireProtocol.framing)","method":"\#(method)","params":"#.utf8)
  }

  /// A message whose parameters are the subscription's number and the elements that `body` writes.
  func message(
    subscription: Int, _ body: (inout TupleWriter) throws -> Void
  ) rethrows -> [UInt8] {
    var writer = TupleWriter(after: opening)
    var subscription: Int? = subscription
    try writer.array { parameters in
      parameters.integer(&subscription)
      try body(&parameters)
    }
    writer.close(with: "}".utf8)
    return writer.bytes
  }

  /// Reads a message; `body` reads the elements behind the subscription's number.
  ///
  /// - Returns: The subscription's number; nil for a message of another method, without a call of
  ///   `body`.
  /// - Throws: The errors of `body`; `TupleReader.Malformed` if the envelope is malformed.
  func read(
    _ message: [UInt8], _ body: (inout TupleReader) throws -> Void
  ) throws -> Int? {
    guard message.starts(with: opening) else { return nil }
    var reader = TupleReader(message, from: opening.count)
    var subscription: Int?
    try reader.array { parameters in
      try parameters.integer(&subscription)
      try body(&parameters)
    }
    try reader.readEnd(with: "}".utf8)
    guard let subscription else { throw reader.malformed }
    return subscription
  }
}

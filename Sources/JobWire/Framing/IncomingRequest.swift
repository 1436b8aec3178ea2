/// A decoded line from a client: a request, or the fault that prevented its decoding.
package struct IncomingRequest: Sendable {
  /// The id for the reply; nil if the line had no readable id.
  package var id: RequestID?
  /// Whether the line is a well-formed request without an id, which gets no reply.
  package var isNotification: Bool
  /// The request, or the fault to reply with.
  package var body: Result<any WireRequest, WireFault>

  package init(
    id: RequestID?, isNotification: Bool = false, body: Result<any WireRequest, WireFault>
  ) {
    self.id = id
    self.isNotification = isNotification
    self.body = body
  }
}

extension IncomingRequest: Equatable {
  package static func == (left: IncomingRequest, right: IncomingRequest) -> Bool {
    left.id == right.id && left.isNotification == right.isNotification
      && left.body.map { AnyHashable($0) } == right.body.map { AnyHashable($0) }
  }
}

private enum RequestKey: String, CodingKey { case jsonrpc, id, method, params }

extension IncomingRequest: Decodable {
  // Throws only if the line is not an object; other errors become a fault in `body`.
  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: RequestKey.self)
    let id = try? box.decodeIfPresent(RequestID.self, forKey: .id)
    let hasID = box.contains(.id)
    if hasID, id == nil {
      self.init(id: nil, body: .failure(.notRequest("the id is neither number nor text")))
      return
    }
    guard (try? box.decode(String.self, forKey: .jsonrpc)) == WireProtocol.framing else {
      self.init(id: id, body: .failure(.notRequest("'jsonrpc' is not \"2.0\"")))
      return
    }
    guard let name = try? box.decode(String.self, forKey: .method) else {
      self.init(id: id, body: .failure(.notRequest("'method' is not a text")))
      return
    }
    guard let type = WireRequests.type(ofMethod: name) else {
      self.init(id: id, isNotification: !hasID, body: .failure(.unknownMethod(name)))
      return
    }
    do {
      self.init(id: id, isNotification: !hasID, body: .success(try Self.request(type, in: box)))
    } catch {
      self.init(
        id: id, isNotification: !hasID,
        body: .failure(.badParameters(name, Self.reason(of: error))))
    }
  }

  private static func request<Request: WireRequest>(
    _ type: Request.Type, in box: KeyedDecodingContainer<RequestKey>
  ) throws -> any WireRequest {
    guard let other = type.withoutParameters else {
      return try box.decode(type, forKey: .params)
    }
    if type is any ParameterlessRequest.Type { return other }
    return try box.decodeIfPresent(type, forKey: .params) ?? other
  }

  private static func reason(of error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has the wrong form"
    default: "they cannot be read"
    }
  }
}

/// A request to be encoded.
package struct OutgoingRequest: Sendable, Encodable {
  /// The id that the reply repeats; nil for a notification, which gets no reply.
  package var id: RequestID?
  package var request: any WireRequest

  package init(id: RequestID, _ request: any WireRequest) {
    self.id = id
    self.request = request
  }

  /// A notification.
  package init(notifying request: any WireRequest) { self.request = request }

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: RequestKey.self)
    try box.encode(WireProtocol.framing, forKey: .jsonrpc)
    try box.encodeIfPresent(id, forKey: .id)
    try box.encode(request.method, forKey: .method)
    guard !(request is any ParameterlessRequest) else { return }
    try box.encode(request, forKey: .params)
  }
}

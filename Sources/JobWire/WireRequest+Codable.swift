/// A decoded line from a client: a request, or the fault that prevented its decoding.
package struct IncomingRequest: Sendable, Hashable {
  /// The id for the reply; nil if the line had no readable id.
  package var id: RequestID?
  /// Whether the line is a well-formed request without an id, which gets no reply.
  package var isNotification: Bool
  /// The request, or the fault to reply with.
  package var body: Result<WireRequest, WireFault>

  package init(
    id: RequestID?, isNotification: Bool = false, body: Result<WireRequest, WireFault>
  ) {
    self.id = id
    self.isNotification = isNotification
    self.body = body
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
    guard let method = WireRequest.Method(rawValue: name) else {
      self.init(id: id, isNotification: !hasID, body: .failure(.unknownMethod(name)))
      return
    }
    do {
      self.init(
        id: id, isNotification: !hasID, body: .success(try Self.request(method, in: box)))
    } catch {
      self.init(
        id: id, isNotification: !hasID,
        body: .failure(.badParameters(name, Self.reason(of: error))))
    }
  }

  private static func request(
    _ method: WireRequest.Method, in box: KeyedDecodingContainer<RequestKey>
  ) throws -> WireRequest {
    func parameters<P: Decodable>(_ type: P.Type = P.self) throws -> P {
      try box.decode(P.self, forKey: .params)
    }
    return switch method {
    case .hello: .hello(try parameters())
    case .plan: .plan(try parameters())
    case .submit: .submit(try parameters())
    case .jobs:
      .jobs(try box.decodeIfPresent(JobsParameters.self, forKey: .params) ?? JobsParameters())
    case .job: .job(try parameters())
    case .request: .request(try parameters())
    case .history:
      .history(
        try box.decodeIfPresent(HistoryParameters.self, forKey: .params) ?? HistoryParameters())
    case .abort: .abort(try parameters())
    case .withdraw: .withdraw(try parameters())
    case .cleanUp: .cleanUp(try parameters())
    case .suspend: .suspend(try parameters())
    case .resume: .resume(try parameters())
    case .pauseQueue: .pauseQueue
    case .yield: .yield
    case .resumeQueue: .resumeQueue
    case .move: .move(try parameters())
    case .upload: .upload(try parameters())
    case .refresh: .refresh
    case .updates: .updates
    case .search: .search(try parameters())
    case .system: .system
    case .log: .log(try parameters())
    case .events: .events(try parameters())
    case .status: .status
    case .audit:
      .audit(try box.decodeIfPresent(AuditParameters.self, forKey: .params) ?? AuditParameters())
    case .doctor: .doctor
    case .subscribe:
      .subscribe(
        try box.decodeIfPresent(SubscribeParameters.self, forKey: .params)
          ?? SubscribeParameters())
    case .unsubscribe: .unsubscribe(try parameters())
    case .cancel: .cancel(try parameters())
    }
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
package struct OutgoingRequest: Sendable, Hashable, Encodable {
  /// The id that the reply repeats; nil for a notification, which gets no reply.
  package var id: RequestID?
  package var request: WireRequest

  package init(id: RequestID, _ request: WireRequest) {
    self.id = id
    self.request = request
  }

  /// A notification.
  package init(notifying request: WireRequest) { self.request = request }

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: RequestKey.self)
    try box.encode(WireProtocol.framing, forKey: .jsonrpc)
    try box.encodeIfPresent(id, forKey: .id)
    try box.encode(request.method.rawValue, forKey: .method)
    switch request {
    case .hello(let it): try box.encode(it, forKey: .params)
    case .plan(let it), .submit(let it): try box.encode(it, forKey: .params)
    case .jobs(let it): try box.encode(it, forKey: .params)
    case .history(let it): try box.encode(it, forKey: .params)
    case .job(let it), .request(let it), .abort(let it), .withdraw(let it), .cleanUp(let it),
      .suspend(let it), .resume(let it):
      try box.encode(it, forKey: .params)
    case .upload(let it): try box.encode(it, forKey: .params)
    case .log(let it): try box.encode(it, forKey: .params)
    case .move(let it): try box.encode(it, forKey: .params)
    case .events(let it): try box.encode(it, forKey: .params)
    case .subscribe(let it): try box.encode(it, forKey: .params)
    case .unsubscribe(let it): try box.encode(it, forKey: .params)
    case .cancel(let it): try box.encode(it, forKey: .params)
    case .audit(let it): try box.encode(it, forKey: .params)
    case .search(let it): try box.encode(it, forKey: .params)
    case .refresh, .updates, .system, .status, .doctor, .pauseQueue, .resumeQueue, .yield: break
    }
  }
}

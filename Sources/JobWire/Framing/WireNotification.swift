package import InstallJobs

/// A message that an engine sends without a request.
package enum WireNotification: Sendable, Hashable {
  /// An event.
  case event(subscription: Int, JobEvent)
  /// Progress events of several jobs, in order.
  case ticks(subscription: Int, [JobEvent])
  /// Part of the rows of a subscription's first snapshot.
  case snapshot(subscription: Int, jobs: [JobSnapshot])
  /// The snapshot is complete; events after `seq` follow.
  case snapshotEnd(subscription: Int, seq: Int)
  /// A part of a message that is too long for one line. The parts of a message follow each other
  /// directly; their texts joined are the message.
  case part(text: String, last: Bool)
  /// A notification or an event of a type unknown to this version.
  case unknown
}

private enum NotificationKey: String, CodingKey { case jsonrpc, method, params }
private enum ParameterKey: String, CodingKey {
  case subscription, event, jobs, seq, text, last
}
private enum EventKey: String, CodingKey { case type }

extension WireNotification: Codable {
  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: NotificationKey.self)
    func parameters() throws -> KeyedDecodingContainer<ParameterKey> {
      try box.nestedContainer(keyedBy: ParameterKey.self, forKey: .params)
    }
    switch try box.decode(String.self, forKey: .method) {
    case "event":
      let inner = try parameters()
      let number = try inner.decode(Int.self, forKey: .subscription)
      do {
        self = .event(
          subscription: number, try inner.decode(JobEvent.self, forKey: .event))
      } catch {
        // A newer engine may send events that this version cannot read; they are ignored. But a
        // reader that misses the end of a job would wait forever.
        let event = try inner.nestedContainer(keyedBy: EventKey.self, forKey: .event)
        guard try event.decode(String.self, forKey: .type) != "completed" else { throw error }
        self = .unknown
      }
    case "snapshot":
      let inner = try parameters()
      self = .snapshot(
        subscription: try inner.decode(Int.self, forKey: .subscription),
        jobs: try inner.decode([JobSnapshot].self, forKey: .jobs))
    case "snapshotEnd":
      let inner = try parameters()
      self = .snapshotEnd(
        subscription: try inner.decode(Int.self, forKey: .subscription),
        seq: try inner.decode(Int.self, forKey: .seq))
    case RowsMessage.method, TicksMessage.method, UpdateMessage.method:
      // If they were ignored, the list would look complete although rows are missing.
      throw WireFault.notRequest("rows, ticks or updates in another order")
    case "part":
      let inner = try parameters()
      self = .part(
        text: try inner.decode(String.self, forKey: .text),
        last: try inner.decode(Bool.self, forKey: .last))
    default: self = .unknown
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var box = encoder.container(keyedBy: NotificationKey.self)
    try box.encode(WireProtocol.framing, forKey: .jsonrpc)
    func parameters(_ method: String) throws -> KeyedEncodingContainer<ParameterKey> {
      try box.encode(method, forKey: .method)
      return box.nestedContainer(keyedBy: ParameterKey.self, forKey: .params)
    }
    switch self {
    case .event(let subscription, let event):
      var inner = try parameters("event")
      try inner.encode(subscription, forKey: .subscription)
      try inner.encode(event, forKey: .event)
    case .ticks: throw WireFault.notRequest("several events go one by one, or as arrays")
    case .snapshot(let subscription, let jobs):
      var inner = try parameters("snapshot")
      try inner.encode(subscription, forKey: .subscription)
      try inner.encode(jobs, forKey: .jobs)
    case .snapshotEnd(let subscription, let seq):
      var inner = try parameters("snapshotEnd")
      try inner.encode(subscription, forKey: .subscription)
      try inner.encode(seq, forKey: .seq)
    case .part(let text, let last):
      var inner = try parameters("part")
      try inner.encode(text, forKey: .text)
      try inner.encode(last, forKey: .last)
    case .unknown: _ = try parameters("unknown")
    }
  }
}

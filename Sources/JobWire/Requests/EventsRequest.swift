package import InstallJobs

/// `events`: the durable events of one job, page by page.
package struct EventsRequest: SingleJobRequest {
  package typealias Reply = EventsReply
  package static let method = "events"
  package static let kind = RequestKind.longView

  package var job: JobID
  /// The number of the event before the page; 0 by default, for the first page.
  package var after: Int?
  /// Largest number of events; at most ``WireProtocol/maximumEventsPage``, which is the default.
  package var limit: Int?

  package init(_ job: JobID, after: Int? = nil, limit: Int? = nil) {
    self.job = job
    self.after = after
    self.limit = limit
  }
}

/// The reply to `events`: a page in order.
package struct EventsReply: Sendable, Hashable, Encodable {
  /// The events of the page, without events that this version cannot read.
  package var events: [JobEvent]
  /// The number of the event before the next page.
  package var next: Int
  /// Whether the page contained the last event when it was read.
  package var isWhole: Bool
  /// Number of events of the page that the receiver could not read.
  ///
  /// Their type is unknown to this version, or their content does not match the type. The number is
  /// not sent.
  package private(set) var leftOut = 0

  private enum CodingKeys: String, CodingKey { case events, next, isWhole }

  package init(events: [JobEvent], next: Int, isWhole: Bool) {
    self.events = events
    self.next = next
    self.isWhole = isWhole
  }
}

extension EventsReply: Decodable {
  private struct LenientEvent: Decodable {
    var event: JobEvent?
    init(from decoder: any Decoder) throws { event = try? JobEvent(from: decoder) }
  }

  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    let passed = try box.decode([LenientEvent].self, forKey: .events)
    events = passed.compactMap(\.event)
    leftOut = passed.count - events.count
    next = try box.decode(Int.self, forKey: .next)
    isWhole = try box.decode(Bool.self, forKey: .isWhole)
  }
}

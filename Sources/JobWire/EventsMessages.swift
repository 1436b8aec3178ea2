package import InstallJobs

/// Parameters of `events`: the durable events of one job, page by page.
package struct EventsParameters: Sendable, Hashable, Codable {
  /// The job's number.
  package var job: JobID
  /// The number of the event behind which the page begins; 0, the beginning, by default.
  package var after: Int?
  /// At most so many events; never more than ``WireProtocol/maximumEventsPage``, which is the
  /// default.
  package var limit: Int?

  package init(job: JobID, after: Int? = nil, limit: Int? = nil) {
    self.job = job
    self.after = after
    self.limit = limit
  }
}

/// The reply to `events`: a page in order.
package struct EventsReply: Sendable, Hashable, Encodable {
  /// The events of the page; those of a type that this version has no name for are left out.
  package var events: [JobEvent]
  /// The number behind which the next page begins.
  package var next: Int
  /// Whether nothing was behind the page when it was read.
  package var isWhole: Bool

  package init(events: [JobEvent], next: Int, isWhole: Bool) {
    self.events = events
    self.next = next
    self.isWhole = isWhole
  }
}

extension EventsReply: Decodable {
  private enum Key: String, CodingKey { case events, next, isWhole }

  private struct Passed: Decodable {
    var event: JobEvent?
    init(from decoder: any Decoder) throws { event = try? JobEvent(from: decoder) }
  }

  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: Key.self)
    events = try box.decode([Passed].self, forKey: .events).compactMap(\.event)
    next = try box.decode(Int.self, forKey: .next)
    isWhole = try box.decode(Bool.self, forKey: .isWhole)
  }
}

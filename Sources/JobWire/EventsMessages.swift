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
  /// The events of the page; those that this version cannot read are left out.
  package var events: [JobEvent]
  /// The number behind which the next page begins.
  package var next: Int
  /// Whether nothing was behind the page when it was read.
  package var isWhole: Bool
  /// How many events of the page were left out where it was read.
  ///
  /// They are of a type that this version has no name for, or not as their type says. The number is
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
  private struct Passed: Decodable {
    var event: JobEvent?
    init(from decoder: any Decoder) throws { event = try? JobEvent(from: decoder) }
  }

  package init(from decoder: any Decoder) throws {
    let box = try decoder.container(keyedBy: CodingKeys.self)
    let passed = try box.decode([Passed].self, forKey: .events)
    events = passed.compactMap(\.event)
    leftOut = passed.count - events.count
    next = try box.decode(Int.self, forKey: .next)
    isWhole = try box.decode(Bool.self, forKey: .isWhole)
  }
}

/// A page of the durable events of one job, in order.
public struct RecordedEvents: Sendable, Hashable {
  /// The events; at most 256, each numbered higher than the one before it.
  public var events: [JobEvent]
  /// How many events of the page are of a newer version and are left out.
  public var leftOut: Int
  /// The number behind which the next page begins; nil where nothing is behind this one.
  public var next: Int?
  /// Bytes that the page came in; 0 where it did not travel.
  package var bytes: Int

  /// A value of its parts.
  public init(events: [JobEvent], leftOut: Int = 0, next: Int? = nil) {
    self.init(events: events, leftOut: leftOut, next: next, bytes: 0)
  }

  package init(events: [JobEvent], leftOut: Int, next: Int?, bytes: Int) {
    self.events = events
    self.leftOut = leftOut
    self.next = next
    self.bytes = bytes
  }
}

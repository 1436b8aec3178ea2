/// A page of the durable events of one job, in order.
public struct RecordedEvents: Sendable, Hashable {
  /// The events; at most 256, in ascending order of their numbers.
  public var events: [JobEvent]
  /// How many events of the page were left out because they come from a newer version.
  public var leftOut: Int
  /// The number after which the next page starts; nil on the last page.
  public var next: Int?
  /// Size of the encoded page in bytes; 0 if it was not sent over a socket.
  package var bytes: Int

  /// Creates a value from its parts.
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

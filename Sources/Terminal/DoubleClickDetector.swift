import Canvas

/// Detects double clicks by the time between presses.
struct DoubleClickDetector: Sendable {
  /// Maximum time between the presses of a double click.
  static let bound = Duration.milliseconds(400)

  private var last: (event: MouseEvent, time: Duration)?

  /// Marks an event that completes a double click.
  ///
  /// A double click is two presses of the same button on the same cell within the bound; a third
  /// press begins a new one.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: The time of the event since a fixed moment.
  /// - Returns: The event with its mark.
  mutating func receive(_ event: MouseEvent, at time: Duration) -> MouseEvent {
    var event = event
    event.isDouble = false
    guard case .press = event.action else {
      last = nil
      return event
    }
    if let last, last.event == event, time >= last.time, time - last.time <= Self.bound {
      self.last = nil
      event.isDouble = true
    } else {
      last = (event, time)
    }
    return event
  }
}

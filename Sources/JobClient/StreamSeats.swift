internal import Synchronization

/// Counts the streams of events and logs that callers read over one connection.
final class StreamSeats: Sendable {
  /// The most at the same time: an engine takes 16 subscriptions of a connection, and those that all
  /// followed jobs share must find room beside them.
  static let limit = 12

  private let taken = Mutex(0)

  /// One stream; it counts for as long as something holds this object.
  final class Seat: Sendable {
    private let seats: StreamSeats

    fileprivate init(_ seats: StreamSeats) { self.seats = seats }

    deinit { seats.taken.withLock { $0 -= 1 } }
  }

  /// Counts one more stream; nil where there are ``limit`` already.
  func seat() -> Seat? {
    let isFree = taken.withLock { taken in
      guard taken < Self.limit else { return false }
      taken += 1
      return true
    }
    return isFree ? Seat(self) : nil
  }
}

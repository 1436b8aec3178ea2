internal import Synchronization

/// Counts the streams of events and logs that callers read over one connection.
final class StreamSeats: Sendable {
  /// Largest number of simultaneous streams.
  ///
  /// An engine accepts 16 subscriptions per connection, which include the subscriptions shared by
  /// all followed jobs.
  static let limit = 12

  private let usedCount = Mutex(0)

  /// One stream.
  ///
  /// It counts until this object is released.
  final class Seat: Sendable {
    private let seats: StreamSeats

    fileprivate init(_ seats: StreamSeats) { self.seats = seats }

    deinit { seats.usedCount.withLock { $0 -= 1 } }
  }

  /// Reserves a seat for a stream; nil at the ``limit``.
  func seat() -> Seat? {
    let isFree = usedCount.withLock { taken in
      guard taken < Self.limit else { return false }
      taken += 1
      return true
    }
    return isFree ? Seat(self) : nil
  }
}

internal import InstallJobs
internal import JobWire

/// The requests of a connection that wait for their replies, and when each wait is over.
///
/// Times are elapsed times of the connection.
struct PendingRequests {
  /// A reply as received, or why there is none.
  typealias Outcome = Result<[UInt8], InstallationError>

  /// A request that waits.
  struct Wait {
    let continuation: CheckedContinuation<Outcome, Never>
    /// The receiver of the subscription that the reply opens; nil for any other request.
    let feed: AsyncStream<EngineEvents.Element>.Continuation?
    let type: any WireRequest.Type
    let bounds: RequestTimeouts.Bounds
    /// When the wait began, without ``PendingRequests/uncounted``.
    fileprivate let since: Duration
  }

  private var waits: [Int: Wait] = [:]
  private let timeouts: RequestTimeouts
  /// Time during which this process did not run, for example while stopped by a signal.
  ///
  /// It does not count towards time-outs.
  private var uncounted = Duration.zero
  private var hasSkippedCheck = false
  /// Time of the last data from the engine, without ``uncounted``.
  private var lastDataTime = Duration.zero
  private var lastArrivals: Int

  /// - Parameters:
  ///   - timeouts: The time-outs of requests.
  ///   - arrivals: How many pieces of data have arrived before.
  init(_ timeouts: RequestTimeouts, arrivals: Int) {
    self.timeouts = timeouts
    lastArrivals = arrivals
  }

  var count: Int { waits.count }

  /// Adds a request that is sent at the time `now`.
  mutating func add(
    _ request: some WireRequest, as id: Int, at now: Duration,
    feed: AsyncStream<EngineEvents.Element>.Continuation?,
    _ continuation: CheckedContinuation<Outcome, Never>
  ) {
    waits[id] = Wait(
      continuation: continuation, feed: feed, type: type(of: request),
      bounds: timeouts.bounds(of: request), since: now - uncounted)
  }

  /// Removes and returns a request; nil if it does not wait any more.
  mutating func remove(_ id: Int) -> Wait? { waits.removeValue(forKey: id) }

  /// Removes and returns all requests with their ids.
  mutating func removeAll() -> [Int: Wait] {
    defer { waits = [:] }
    return waits
  }

  /// Notes that the engine sent data.
  mutating func noteData(at now: Duration, arrivals: Int) {
    lastDataTime = now - uncounted
    lastArrivals = arrivals
  }

  /// The time of the next check for overdue requests; nil if none wait.
  func nextCheck(after now: Duration) -> Duration? {
    guard !waits.isEmpty else { return nil }
    let now = now - uncounted
    let first = waits.values.reduce(now + timeouts.shortest) { min($0, deadline(of: $1)) }
    return max(first, now + timeouts.interval) + uncounted
  }

  /// The requests whose wait is over, with the time that each has waited, in a check that was planned
  /// for `moment`.
  mutating func overdue(
    plannedAt moment: Duration, now: Duration, arrivals: Int
  ) -> [(id: Int, waited: Duration)] {
    let late = now - moment
    if late > .seconds(1), !hasSkippedCheck {
      // Data that arrived while this process did not run is not read yet.
      hasSkippedCheck = true
      uncounted += late + timeouts.interval
      return []
    }
    hasSkippedCheck = false
    let now = now - uncounted
    // A long line arrives in many pieces; each counts as a sign of life.
    if arrivals != lastArrivals { lastDataTime = now }
    lastArrivals = arrivals
    return waits.filter { deadline(of: $0.value) <= now }.map { ($0, now - $1.since) }
  }

  private func deadline(of wait: Wait) -> Duration {
    let end = wait.since + wait.bounds.total
    return wait.bounds.silence.map { min(end, max(wait.since, lastDataTime) + $0) } ?? end
  }
}

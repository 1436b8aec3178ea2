internal import InstallJobs
internal import JobWire

/// Time-outs of a client's requests.
package struct RequestTimeouts: Sendable, Hashable {
  /// Longest silence of the engine during a request that it answers at once.
  ///
  /// Any data from the engine restarts this time-out, up to ``answer``.
  package var silence = Duration.seconds(30)
  /// Longest wait for such an answer, even if the engine sends other data.
  package var answer = Duration.seconds(300)
  /// Longest wait for a request that makes the engine plan or read whole archives.
  ///
  /// The engine allows each such request an hour and completes earlier ones first.
  package var work = Duration.seconds(7200)
  /// Longest wait for a refresh of the package index; the engine gives up after 600 seconds.
  package var refresh = Duration.seconds(900)

  package init() {}

  /// The time-outs of one request.
  struct Bounds: Sendable, Hashable {
    /// Longest total wait.
    var total: Duration
    /// Longest silence of the engine; nil if the engine may be silent until it is done.
    var silence: Duration?
  }

  /// The time-outs of a request.
  func bounds(of request: any WireRequest) -> Bounds {
    switch request {
    case is SubmitRequest, is MarkRequest: Bounds(total: work)
    case let piece as UploadRequest where piece.isLast: Bounds(total: work)
    case is RefreshRequest: Bounds(total: refresh)
    case let request where request.kind == .lookup: Bounds(total: work)
    default: Bounds(total: answer, silence: silence)
    }
  }

  /// The shortest time-out: a new request cannot be overdue earlier.
  var shortest: Duration { min(silence, answer, work, refresh) }

  /// Smallest interval of checks for overdue requests.
  var interval: Duration { shortest / 32 }
}

/// The elapsed time of any clock since the creation of this value.
struct ElapsedTime: Sendable {
  /// The elapsed time.
  let now: @Sendable () -> Duration
  /// Sleeps until the elapsed time is `moment`, or the task is cancelled.
  let sleep: @Sendable (_ moment: Duration) async throws -> Void

  /// - Parameter clock: The clock; its current time is the start.
  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { moment in
      if let start = start as? ContinuousClock.Instant {
        try await SleepQueue.shared.sleep(until: start.advanced(by: moment))
      } else {
        try await clock.sleep(until: start.advanced(by: moment), tolerance: nil)
      }
    }
  }
}

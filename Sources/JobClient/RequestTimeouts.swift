internal import InstallJobs
internal import JobWire

/// How long a client waits for an engine's answers.
package struct RequestTimeouts: Sendable, Hashable {
  /// The longest silence of an engine that is asked for what it answers at once.
  ///
  /// Whatever the engine sends meanwhile begins the time anew, up to ``answer``.
  package var silence = Duration.seconds(30)
  /// The longest wait for such an answer, whatever else the engine sends.
  package var answer = Duration.seconds(300)
  /// The longest wait for what the engine plans or reads whole archives for.
  ///
  /// It gives each such request an hour, and has those before it done first.
  package var work = Duration.seconds(7200)
  /// The longest wait for the package index to be fetched; the engine gives up after 600 seconds.
  package var refresh = Duration.seconds(900)

  package init() {}

  /// How long one request is waited for.
  struct Bounds: Sendable, Hashable {
    /// The longest wait in all.
    var total: Duration
    /// The longest silence of the engine; nil where it may say nothing until it is done.
    var silence: Duration?
  }

  /// How long a request is waited for.
  func bounds(of request: WireRequest) -> Bounds {
    switch request {
    case .plan, .submit, .updates, .search, .system, .doctor: Bounds(total: work)
    case .upload(let piece) where piece.isLast: Bounds(total: work)
    case .refresh: Bounds(total: refresh)
    default: Bounds(total: answer, silence: silence)
    }
  }

  /// The shortest of the waits: no request that is made later is overdue before it has passed.
  var shortest: Duration { min(silence, answer, work, refresh) }

  /// The time between two looks for requests that are overdue.
  var interval: Duration { shortest / 32 }
}

extension UploadParameters {
  /// Whether the piece completes its archive.
  fileprivate var isLast: Bool { offset + Int64(bytes.bytes.count) >= archive.size }
}

/// The time of a clock since a moment, whatever the clock is.
struct ElapsedTime: Sendable {
  /// The time that has passed.
  let now: @Sendable () -> Duration
  /// Sleeps until so much has passed, or the task is cancelled.
  let sleep: @Sendable (_ moment: Duration) async throws -> Void

  /// - Parameter clock: Its present time is the beginning.
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

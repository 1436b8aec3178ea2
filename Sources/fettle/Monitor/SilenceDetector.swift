import InstallJobs
import Monitor

/// Detects an engine that does not answer a request.
///
/// From the fifth second of silence on, it reports the age of the silence once a second, until an
/// answer or another byte arrives. No timer runs while no request is open.
///
/// The age counts from the last byte received, not from the request, which may have been sent
/// later.
actor SilenceDetector {
  /// Seconds after which an engine counts as silent.
  static let timeout = 5

  private let report: @Sendable (LinkState) -> Void
  private let clock: any Clock<Duration>
  // Whole seconds since the engine's last byte; nil when unknown.
  private var silence: @Sendable () -> Int? = { nil }
  private var open: Set<Int> = []
  private var next = 0
  private var counting: Task<Void, Never>?
  private var isStale = false

  /// - Parameters:
  ///   - clock: Counts the seconds.
  ///   - tell: Receives `stale` with the age in seconds, and `live` when the engine answers again.
  init(
    clock: any Clock<Duration> = ContinuousClock(), tell: @escaping @Sendable (LinkState) -> Void
  ) {
    self.clock = clock
    self.report = tell
  }

  /// Runs a request that a working engine answers at once.
  ///
  /// - Parameters:
  ///   - silence: Returns whole seconds since the engine's last byte; nil when unknown.
  ///   - body: The request.
  /// - Returns: The answer.
  /// - Throws: The errors of `body`.
  func perform<Answer: Sendable>(
    silence: @escaping @Sendable () -> Int? = { nil },
    _ body: @Sendable () async throws(InstallationError) -> Answer
  ) async throws(InstallationError) -> Answer {
    next += 1
    let number = next
    open.insert(number)
    self.silence = silence
    if counting == nil { counting = Task { await count() } }
    do {
      let answer = try await body()
      close(number)
      if isStale { report(.live) }
      isStale = false
      return answer
    } catch {
      // A broken connection does not show that the engine is alive; the follower of the session
      // reports the break. After a time-out the engine is as silent as before.
      close(number)
      guard error.code != .timedOut else { throw error }
      if error.code == .engineUnreachable {
        isStale = false
      } else if isStale, silence() ?? 0 < Self.timeout {
        // A refusal is an answer, unless it is the client's own.
        isStale = false
        report(.live)
      }
      throw error
    }
  }

  private func close(_ number: Int) {
    open.remove(number)
    // The count starts again for the other open requests.
    counting?.cancel()
    counting = open.isEmpty ? nil : Task { await count() }
  }

  private func count() async {
    var seconds = 0
    while (try? await clock.sleep(for: .seconds(1))) != nil, !Task.isCancelled {
      seconds += 1
      let age = silence() ?? seconds
      if isStale || seconds >= Self.timeout, age >= Self.timeout {
        isStale = true
        report(.stale(seconds: age))
      } else if isStale {
        // The engine sends other messages; only this answer is slow.
        isStale = false
        report(.live)
      }
    }
  }
}

import InstallJobs
import JobScreen

/// Notices an engine that does not answer: from the fifth second on the monitor shows how long it
/// has been silent, once a second, until something comes. Nothing runs while nothing is asked.
///
/// The age counts from the last byte heard, not from the question, which may have come late.
actor AnswerWatch {
  /// Seconds after which an engine counts as silent.
  static let timeout = 5

  private let report: @Sendable (LinkState) -> Void
  private let clock: any Clock<Duration>
  // Whole seconds since the engine was heard; nil where nobody knows.
  private var silence: @Sendable () -> Int? = { nil }
  private var open: Set<Int> = []
  private var next = 0
  private var counting: Task<Void, Never>?
  private var isStale = false

  /// - Parameters:
  ///   - clock: What the seconds are counted by.
  ///   - tell: Gets `stale` with the age in seconds, and `live` when the engine answers again.
  init(
    clock: any Clock<Duration> = ContinuousClock(), tell: @escaping @Sendable (LinkState) -> Void
  ) {
    self.clock = clock
    self.report = tell
  }

  /// Runs a request that an engine at work answers at once.
  ///
  /// - Parameters:
  ///   - silence: Whole seconds since a byte of this engine came; nil where nobody knows.
  ///   - body: The request.
  /// - Returns: The answer.
  /// - Throws: What the request throws.
  func watched<Answer: Sendable>(
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
      // A connection that broke is no sign of life; whoever follows it says so. An engine that did not
      // answer in time is as silent as before.
      close(number)
      if error.code != .timedOut { isStale = false }
      throw error
    }
  }

  private func close(_ number: Int) {
    open.remove(number)
    // What else is open is counted anew.
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
        // It tells other things, only this answer takes its time.
        isStale = false
        report(.live)
      }
    }
  }
}

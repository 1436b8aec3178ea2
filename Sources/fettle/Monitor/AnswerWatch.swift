import InstallJobs
import JobScreen

/// Notices an engine that does not answer: from the fifth second on the monitor shows its age, once
/// a second, until the answer comes. Nothing runs while nothing is asked.
actor AnswerWatch {
  /// Seconds after which an engine counts as silent.
  static let patience = 5

  private let tell: @Sendable (LinkState) -> Void
  private let clock: any Clock<Duration>
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
    self.tell = tell
  }

  /// Runs a request that an engine at work answers at once.
  func watched<Answer: Sendable>(
    _ body: @Sendable () async throws(InstallationError) -> Answer
  ) async throws(InstallationError) -> Answer {
    next += 1
    let number = next
    open.insert(number)
    if counting == nil { counting = Task { await count() } }
    do {
      let answer = try await body()
      close(number)
      if isStale { tell(.live) }
      isStale = false
      return answer
    } catch {
      // A connection that broke is no sign of life; whoever follows it says so.
      close(number)
      isStale = false
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
      guard seconds >= Self.patience else { continue }
      isStale = true
      tell(.stale(seconds: seconds))
    }
  }
}

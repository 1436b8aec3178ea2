internal import InstallJobs
internal import JobClient

/// A client that behaves, and how long it waits for its answers.
struct GoodClient: Sendable {
  let backend: EngineBackend

  /// What it found.
  struct Answers: Sendable {
    /// From request to answer, in milliseconds, of what is answered in a few bytes.
    var times: [Double] = []
    /// The same of lists of all jobs.
    var lists: [Double] = []
    /// Requests that were not answered as they are to be.
    var faults: [String] = []
  }

  /// Asks for the status and the jobs, and to abort a job that is over, until `end`.
  ///
  /// - Parameters:
  ///   - end: When to stop.
  ///   - over: A job that is over: to abort it is refused at once.
  /// - Returns: What it found.
  /// - Throws: `CancellationError`.
  func ask(until end: ContinuousClock.Instant, over: JobID) async throws -> Answers {
    var answers = Answers()
    while ContinuousClock.now < end {
      try Task.checkCancellation()
      let begin = ContinuousClock.now
      do {
        _ = try await backend.status()
      } catch { answers.faults.append("\(error)") }
      answers.times.append((ContinuousClock.now - begin).milliseconds)
      let listed = ContinuousClock.now
      do {
        _ = try await backend.jobs(in: nil)
      } catch { answers.faults.append("\(error)") }
      answers.lists.append((ContinuousClock.now - listed).milliseconds)
      let asked = ContinuousClock.now
      do {
        let answer = try await backend.requestAbort(of: over)
        if answer != .alreadyCompleted { answers.faults.append("\(answer)") }
      } catch { answers.faults.append("\(error)") }
      answers.times.append((ContinuousClock.now - asked).milliseconds)
      try await Task.sleep(for: .milliseconds(20))
    }
    return answers
  }
}

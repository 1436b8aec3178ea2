import ArgumentParser
import InstallJobs

/// The filter of `jobs --state` and `history --result`, by the words of the JSON output or of the
/// tables.
struct JobStateFilter: Sendable, Hashable {
  /// The states to ask the engine for; nil for all.
  private(set) var states: Set<JobState>?
  // Results that ended jobs must have; nil for any.
  private var results: Set<OperationResultCode>?
  // Whether queued jobs match only while they are paused.
  private var isPausedOnly = false

  private static let words: [String: OperationResultCode] = [
    "succeeded": .succeeded, "done": .succeeded, "succeededWithErrors": .succeededWithErrors,
    "succeeded with errors": .succeededWithErrors, "errors": .succeededWithErrors,
    "with errors": .succeededWithErrors, "warned": .succeededWithErrors, "failed": .failed,
    "aborted": .aborted,
  ]

  // Words of screens and tables for states that have another name in JSON.
  private static let shown: [String: Set<JobState>] = {
    var words: [String: Set<JobState>] = [
      "running": [.downloading, .installing, .finalizing], "held": [.suspended, .queued],
      "paused": [.suspended, .queued],
      "waiting": JobState.waiting, "wait lock": [.waitingForLock],
      "next": [.queued], "not yet": [.queued], "asking": [.waitingForInput],
      "needs answer": [.waitingForInput], "download": [.downloading], "verify": [.finalizing],
      "abort asked": [.stopping],
    ]
    // The step of the current package; lists of jobs show all steps as one state.
    for word in ["unpack", "unpacked", "configure", "remove", "triggers"]
      + ["install", "reinstall", "upgrade", "purge", "repair"]
    { words[word] = [.installing] }
    return words
  }()

  /// The results listed in errors and help, in the words of the tables.
  static let offeredResults = "succeeded, 'succeeded with errors', failed, aborted, interrupted"

  /// The states listed in errors and help, in the words of the tables.
  static let offered =
    "queued, paused, waiting (queued, paused or for the lock), running, asking, stopping, done, "
    + "'with errors', failed, aborted, interrupted"

  /// Parses the results of ended jobs, by the words of the JSON output or of the tables.
  ///
  /// - Parameter text: Words separated by commas.
  /// - Returns: The results.
  /// - Throws: `ValidationError` for an unknown word.
  static func results(_ text: String) throws -> Set<HistoryResult> {
    Set(
      try parts(of: text).map { word in
        if let result = HistoryResult(rawValue: word) { return result }
        guard let code = words[word],
          let result = HistoryResult.allCases.first(where: { $0.code == code })
        else {
          throw ValidationError(
            "there is no result '\(word)'; the results are \(offeredResults); names of the JSON"
              + " will do")
        }
        return result
      })
  }

  /// Returns the words between commas, with runs of spaces reduced to one.
  private static func parts(of text: String) -> [String] {
    text.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
  }

  /// - Parameter text: Words separated by commas; nil selects everything.
  /// - Throws: `ValidationError` for an unknown word.
  init(_ text: String?) throws {
    guard let text else { return }
    var states: Set<JobState> = []
    var results: Set<OperationResultCode> = []
    var namesQueued = false
    for part in Self.parts(of: text) {
      // Earlier versions called paused jobs held.
      let word = part == "held" ? "paused" : part
      if let state = JobState(rawValue: word) {
        states.insert(state)
        namesQueued = namesQueued || state == .queued
      } else if let found = Self.shown[word] {
        let isPaused = word == "paused" || word == "held"
        isPausedOnly = isPausedOnly || isPaused
        namesQueued = namesQueued || !isPaused && found.contains(.queued)
        states.formUnion(found)
      } else if let result = Self.words[word] {
        results.insert(result)
      } else {
        throw ValidationError(
          "there is no state '\(word)'; the states are \(Self.offered); names of the JSON will do")
      }
    }
    isPausedOnly = isPausedOnly && !namesQueued
    self.results = results.isEmpty || states.contains(.completed) ? nil : results
    self.states = results.isEmpty ? states : states.union([.completed])
  }

  /// Whether a job in one of ``states`` matches the filter.
  func matches(_ job: JobSnapshot) -> Bool {
    if job.state == .queued, isPausedOnly { return job.waitingFor?.isJobPause ?? false }
    guard job.state == .completed, let results else { return true }
    return results.contains(job.resultCode)
  }
}

import ArgumentParser
import InstallJobs

/// The states and results that `jobs --state` asks for, by the words of the JSON contract or those
/// that tables show.
struct JobStates: Sendable, Hashable {
  /// The states to ask the engine for; nil for all.
  private(set) var states: Set<JobState>?
  // Results that ended jobs must have; nil where any will do.
  private var results: Set<OperationResultCode>?
  // Whether those that wait are only asked for where they are held.
  private var isHeldOnly = false

  private static let words: [String: OperationResultCode] = [
    "succeeded": .succeeded, "done": .succeeded, "succeededWithErrors": .succeededWithErrors,
    "errors": .succeededWithErrors, "with errors": .succeededWithErrors,
    "warned": .succeededWithErrors, "failed": .failed, "aborted": .aborted,
  ]

  // What screens and tables call states, where that is another word than the contract's.
  private static let shown: [String: Set<JobState>] = [
    "running": [.downloading, .installing, .finalizing], "held": [.suspended, .queued],
    "waiting": [.waitingForLock], "asking": [.waitingForInput],
  ]

  /// - Parameter text: Words with commas between; nil asks for everything.
  /// - Throws: `ValidationError` for a word that is neither.
  init(_ text: String?) throws {
    guard let text else { return }
    var states: Set<JobState> = []
    var results: Set<OperationResultCode> = []
    var namesQueued = false
    for part in text.split(separator: ",") {
      let word = String(part.drop { $0 == " " })
      if let state = JobState(rawValue: word) {
        states.insert(state)
        namesQueued = namesQueued || state == .queued
      } else if let found = Self.shown[word] {
        isHeldOnly = isHeldOnly || word == "held"
        states.formUnion(found)
      } else if let result = Self.words[word] {
        results.insert(result)
      } else {
        let known =
          JobState.allCases.map(\.rawValue) + Self.shown.keys.sorted()
          + Self.words.keys.sorted()
        throw ValidationError(
          "there is no state '\(word)'; the states are \(known.joined(separator: ", "))")
      }
    }
    isHeldOnly = isHeldOnly && !namesQueued
    self.results = results.isEmpty || states.contains(.completed) ? nil : results
    self.states = results.isEmpty ? states : states.union([.completed])
  }

  /// Whether a job that has one of the states is asked for.
  func holds(_ job: JobSnapshot) -> Bool {
    if job.state == .queued, isHeldOnly { return job.waitingFor?.isHold ?? false }
    guard job.state == .completed, let results else { return true }
    return results.contains(job.resultCode)
  }
}

import Canvas
import InstallJobs

/// A question before a dangerous action.
///
/// It keeps the jobs selected when the key was pressed, even if the list changes meanwhile.
enum Dialogue: Sendable, Hashable {
  case abort(AbortQuestion, focus: Focus)
  case cleanUp(CleanUpQuestion, focus: Focus)
  case retry(RetryQuestion, focus: Focus)

  /// The answer that Enter gives; at first the harmless one.
  enum Focus: Sendable, Hashable {
    case keep
    case act

    var other: Focus { self == .keep ? .act : .keep }
  }

  /// The effect of a key on the question.
  enum Answer: Sendable, Hashable {
    case none
    case keep
    case act
  }

  var focus: Focus {
    switch self {
    case .abort(_, let focus), .cleanUp(_, let focus), .retry(_, let focus): focus
    }
  }

  /// The letter that confirms at once.
  var letter: Character {
    switch self {
    case .abort: "a"
    case .cleanUp: "c"
    case .retry: "r"
    }
  }

  /// Handles a key: only the letter, or Enter on the confirming answer, confirms; unknown keys do
  /// nothing.
  mutating func handle(_ key: Key) -> Answer {
    switch key {
    case .character(let character) where character == letter: return .act
    case .character("c"):
      guard case .abort(var question, let focus) = self else { return .none }
      question.cleansUp.toggle()
      self = .abort(question, focus: focus)
      return .none
    case .enter: return focus == .act ? .act : .keep
    case .escape, .control("c"), .function(10): return .keep
    case .tab, .backTab, .left, .right:
      switch self {
      case .abort(let question, let focus): self = .abort(question, focus: focus.other)
      case .cleanUp(let question, let focus): self = .cleanUp(question, focus: focus.other)
      case .retry(let question, let focus): self = .retry(question, focus: focus.other)
      }
      return .none
    default: return .none
    }
  }
}

/// The effects of an abort on each of the given jobs.
struct AbortQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
  /// The engine's reply for each job if it were asked now (row C24).
  private(set) var consequences: [JobID: AbortDisposition]
  /// Whether to clean up the jobs when they have stopped.
  var cleansUp = false
  /// Number of jobs by kind of effect.
  private(set) var counts: [Outcome: Int] = [:]

  /// The kinds of effect, for long lists.
  enum Outcome: Int, Sendable, Hashable, CaseIterable {
    case notBegun
    case atOnce
    case later
    case refused
    case over

    init(_ disposition: AbortDisposition, state: JobState) {
      self =
        switch disposition {
        case .accepted(stopsAfter: nil, _): state == .queued ? .notBegun : .atOnce
        case .accepted: .later
        case .refused: .refused
        case .alreadyCompleted: .over
        }
    }

    /// The number of jobs with this effect in words: `2 leave the queue`.
    func phrase(_ count: Int) -> String {
      let one = count == 1
      return switch self {
      case .notBegun: "\(count) \(one ? "leaves" : "leave") the queue"
      case .atOnce: "\(count) \(one ? "stops" : "stop") at once"
      case .later: "\(count) \(one ? "stops" : "stop") after a package"
      case .refused: "\(count) cannot stop"
      case .over: "\(count) \(one ? "is" : "are") over already"
      }
    }
  }

  private var outcomes: [JobID: Outcome] = [:]

  init(_ jobs: [JobSnapshot]) {
    ids = jobs.map(\.id)
    consequences = [:]
    for job in jobs { refresh(job) }
  }

  /// Updates the effect on a job of the question.
  mutating func refresh(_ job: JobSnapshot) {
    let disposition = job.state.isFinal ? .alreadyCompleted : job.abortPreview
    if let old = outcomes[job.id] { counts[old, default: 1] -= 1 }
    let outcome = Outcome(disposition, state: job.state)
    consequences[job.id] = disposition
    outcomes[job.id] = outcome
    counts[outcome, default: 0] += 1
  }

  /// The jobs that have not ended, for which the engine is to be asked.
  var pending: [JobID] { ids.filter { outcomes[$0] != .over } }
}

/// The ended jobs to clean up.
struct CleanUpQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
  /// Number of selected jobs that have not ended and are left out.
  let skipped: Int
  /// Number of jobs that left packages in need of repair.
  let needRepair: Int
}

/// The ended jobs to retry, each as a new job.
struct RetryQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
}

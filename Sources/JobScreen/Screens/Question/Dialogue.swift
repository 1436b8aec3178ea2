import InstallJobs

/// A question before something dangerous; it holds the jobs that were meant when the key was
/// pressed, whatever the list does meanwhile.
enum Dialogue: Sendable, Hashable {
  case abort(AbortQuestion, focus: Focus)
  case cleanUp(CleanUpQuestion, focus: Focus)
  case retry(RetryQuestion, focus: Focus)

  /// Which answer Enter gives; the harmless one at first.
  enum Focus: Sendable, Hashable {
    case keep
    case act

    var other: Focus { self == .keep ? .act : .keep }
  }

  /// What a key means here.
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

  /// The letter that acts at once.
  var letter: Character {
    switch self {
    case .abort: "a"
    case .cleanUp: "c"
    case .retry: "r"
    }
  }

  /// Takes a key: only the letter, or Enter on the acting answer, acts; what is unknown does nothing.
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

/// What an abort would do to each of the jobs it was asked for.
struct AbortQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
  /// What the engine would answer for each now (row C24).
  private(set) var consequences: [JobID: AbortDisposition]
  /// Whether they are to be cleaned up when they have stopped.
  var cleansUp = false
  /// How many jobs have which kind of consequence.
  private(set) var counts: [Outcome: Int] = [:]

  /// The kinds of consequence, for long lists.
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

    /// `2 leave the queue`.
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

  /// Takes over what has become of a job that the question is about.
  mutating func refresh(_ job: JobSnapshot) {
    let disposition = job.state.isFinal ? .alreadyCompleted : job.abortPreview
    if let old = outcomes[job.id] { counts[old, default: 1] -= 1 }
    let outcome = Outcome(disposition, state: job.state)
    consequences[job.id] = disposition
    outcomes[job.id] = outcome
    counts[outcome, default: 0] += 1
  }

  /// The jobs for which there is something to ask the engine.
  var pending: [JobID] { ids.filter { outcomes[$0] != .over } }
}

/// Which ended jobs are to be cleaned up.
struct CleanUpQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
  /// Jobs that were meant too and are not over: they stay.
  let skipped: Int
  /// Jobs that left packages which need a repair.
  let needRepair: Int
}

/// Which ended jobs are to be tried again, each as a job of its own.
struct RetryQuestion: Sendable, Hashable {
  /// The jobs, by number.
  let ids: [JobID]
}

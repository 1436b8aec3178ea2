package import InstallJobs
import JobText

/// The filter of the job lists: terms that must all match.
///
/// `state:failed,aborted user:root pkg:nginx* age>10m -op:remove` and bare words. Each term tests
/// one field; see ``Field``. A leading `-` or `!` negates a term. Case does not matter.
package struct JobFilter: Sendable, Hashable {
  /// The fields that a term can test.
  enum Field: String, Sendable, Hashable, CaseIterable {
    /// The word of the state or result: `running`, `queued`, `failed`.
    case state
    /// The requester's name.
    case user
    /// The name of a requested package; `*` stands for any letters.
    case pkg
    /// The job number.
    case job
    /// The operation: `install`, `upgrade`, `remove`.
    case op
    /// The job's comment.
    case comment
    /// Time since the job's submission: `age>10m`.
    case age
    /// Work time of an ended job: `took>1m`.
    case took
    /// Per cent done: `done<50`.
    case done

    /// An example term and its meaning, for help.
    var example: (term: String, finds: String) {
      switch self {
      case .state: ("state:failed,aborted", "state or result by its word")
      case .user: ("user:root", "who asked")
      case .pkg: ("pkg:nginx*", "a package; * is any letters")
      case .job: ("job:104*", "the number")
      case .op: ("-op:remove", "the operation; - turns it round")
      case .comment: ("comment:nightly", "the comment")
      case .age: ("age>10m", "time since it was submitted")
      case .took: ("took>1m", "time that it took")
      case .done: ("done<50", "per cent done")
      }
    }

    /// Whether the field is a number that is compared with `<` or `>`.
    var isMeasured: Bool { self == .age || self == .took || self == .done }
  }

  /// The comparison of a number.
  enum Comparison: Character, Sendable, Hashable {
    case more = ">"
    case less = "<"
  }

  /// One condition of the filter.
  struct Term: Sendable, Hashable {
    enum Test: Sendable, Hashable {
      /// A bare word in any field.
      case word(String)
      /// One of several patterns with `*`.
      case among(Field, [String])
      /// A comparison with a number, in seconds or per cent.
      case compared(Field, Comparison, Double)
    }

    var test: Test
    /// Whether the term is negated.
    var isTurned: Bool
  }

  /// The text as typed.
  let text: String
  /// The terms that could be parsed.
  let terms: [Term]
  /// The first error in the text, as a sentence; terms with errors are left out.
  ///
  /// Nil for no error.
  package let problem: String?
  /// The time that ages are counted from; nil if unknown, then every age matches.
  let now: Timestamp?

  /// Parses a filter.
  ///
  /// - Parameters:
  ///   - text: The text as typed; an unfinished term such as `state:` matches every job.
  ///   - now: The present time, for ages.
  package init(_ text: String = "", now: Timestamp? = nil) {
    self.text = text
    self.now = now
    var reading = FilterReading()
    for word in text.split(separator: " ") { reading.read(word) }
    terms = reading.terms
    problem = reading.problem
  }

  /// The words of states: those of the screen, then the JSON state names that differ from them.
  static let stateWords: [String] = {
    let shown = JobMark.allCases.flatMap(\.filterWords)
    return shown + JobState.allCases.map(\.rawValue).filter { !shown.contains($0) }
  }()

  private static let wholeStates = Set(stateWords.map { $0.lowercased() })

  /// The words that match the state of a job.
  ///
  /// `waiting` also matches the group ``JobState/waiting``, as in `fettle jobs --state`.
  private static func states(_ entry: JobStore.Entry) -> [String] {
    let group = JobState.waiting.contains(entry.job.state) ? [JobMark.waiting.countWord] : []
    return [entry.job.state.rawValue] + entry.mark.filterWords + group
  }

  /// Whether the filter has no terms and matches every job.
  package var isEmpty: Bool { terms.isEmpty }

  /// Whether every term matches a job.
  package func matches(_ job: JobSnapshot) -> Bool { matches(JobStore.Entry(job: job)) }

  /// Whether the result depends on the time.
  var hasAge: Bool {
    terms.contains { if case .compared(.age, _, _) = $0.test { true } else { false } }
  }

  func matches(_ entry: JobStore.Entry) -> Bool {
    terms.allSatisfy { holds($0.test, entry) != $0.isTurned }
  }

  private func holds(_ test: Term.Test, _ entry: JobStore.Entry) -> Bool {
    let job = entry.job
    switch test {
    case .word(let word): return Self.mentions(entry, word)
    case .among(let field, let values):
      let found: [String] =
        switch field {
        case .state: Self.states(entry)
        case .user: [job.requestedBy.user]
        case .pkg: job.updates.map(\.name)
        case .job: [String(job.id.rawValue)]
        case .op: [job.operationWord]
        case .comment: [job.options.comment ?? ""]
        case .age, .took, .done: []
        }
      return values.contains { pattern in found.contains { Self.fits($0, pattern, field) } }
    case .compared(let field, let comparison, let limit):
      guard let figure = figure(field, job) else { return field == .age }
      return comparison == .more ? figure > limit : figure < limit
    }
  }

  private func figure(_ field: Field, _ job: JobSnapshot) -> Double? {
    switch field {
    case .age: now.map { $0.seconds(since: job.submittedAt) }
    case .took: job.workedSeconds
    case .done: job.percentComplete
    case .state, .user, .pkg, .job, .op, .comment: nil
    }
  }

  /// Whether a value matches a pattern.
  ///
  /// With `*` the pattern must cover the whole value. Without it, a job number or an operation must
  /// be equal, a state may be abbreviated unless the pattern is a whole state word, and any other
  /// value must contain the pattern.
  private static func fits(_ value: String, _ pattern: String, _ field: Field) -> Bool {
    let value = value.lowercased()
    if pattern.contains("*") { return Glob.matches(Substring(value), Substring(pattern)) }
    return switch field {
    case .state: wholeStates.contains(pattern) ? value == pattern : value.hasPrefix(pattern)
    case .job, .op: value == pattern
    default: value.contains(pattern)
    }
  }

  /// Whether any field of a job contains `word`, which is in lower case.
  static func mentions(_ entry: JobStore.Entry, _ word: String) -> Bool {
    let job = entry.job
    return String(job.id.rawValue) == word || job.requestedBy.user.lowercased().contains(word)
      || job.operationWord.contains(word) || entry.mark.countWord.hasPrefix(word)
      || word == JobMark.waiting.countWord && JobState.waiting.contains(job.state)
      || job.options.comment?.lowercased().contains(word) ?? false
      || job.updates.contains { $0.name.lowercased().contains(word) }
  }
}

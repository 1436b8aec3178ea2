package import InstallJobs

/// What the lists are narrowed to: terms that all must hold.
///
/// `state:failed,aborted user:root pkg:nginx* age>10m -op:remove` and bare words. Each term looks at
/// one thing; see ``Field``. A `-` or `!` in front turns a term round. Case does not matter.
package struct JobFilter: Sendable, Hashable {
  /// What a term can look at.
  enum Field: String, Sendable, Hashable, CaseIterable {
    /// The state or result by its word: `running`, `queued`, `failed`.
    case state
    /// The name of the requester.
    case user
    /// A package that was asked for; `*` stands for any letters.
    case pkg
    /// The number.
    case job
    /// The operation: `install`, `upgrade`, `remove`.
    case op
    /// The comment.
    case comment
    /// Time since the job was submitted: `age>10m`.
    case age
    /// How long an ended job took: `took>1m`.
    case took
    /// Per cent done: `done<50`.
    case done

    /// An example and what it finds, for help.
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

    /// Whether it is compared with a figure.
    var isMeasured: Bool { self == .age || self == .took || self == .done }
  }

  /// How a figure is compared.
  enum Comparison: Character, Sendable, Hashable {
    case more = ">"
    case less = "<"
  }

  /// One thing that must hold.
  struct Term: Sendable, Hashable {
    enum Test: Sendable, Hashable {
      /// A bare word, wherever it stands.
      case word(String)
      /// One of these values, with `*`.
      case among(Field, [String])
      /// A figure; seconds, or per cent.
      case compared(Field, Comparison, Double)
    }

    var test: Test
    /// Whether it must not hold.
    var isTurned: Bool
  }

  /// What was typed.
  let text: String
  /// The terms that could be read.
  let terms: [Term]
  /// What is wrong with the text, in words; terms that could not be read are left out.
  package let problem: String?
  /// The time that ages are counted from; nil while it is not known, when every age holds.
  let now: Timestamp?

  /// Reads a filter.
  ///
  /// - Parameters:
  ///   - text: As typed; a term that is not finished yet (`state:`) holds for all.
  ///   - now: The present time, for ages.
  package init(_ text: String = "", now: Timestamp? = nil) {
    self.text = text
    self.now = now
    var reading = FilterReading()
    for word in text.split(separator: " ") { reading.read(word) }
    terms = reading.terms
    problem = reading.problem
  }

  /// The words that a state is found by: those of the screen, and those of the JSON contract that
  /// are others.
  static let stateWords: [String] = {
    let shown = JobMark.allCases.flatMap(\.filterWords)
    return shown + JobState.allCases.map(\.rawValue).filter { !shown.contains($0) }
  }()

  private static let wholeStates = Set(stateWords.map { $0.lowercased() })

  /// The words that find the state of a job; `waiting` is the group of ``JobState/waiting``, as in
  /// `fettle jobs --state`, and not only what the row calls so.
  private static func states(_ entry: JobStore.Entry) -> [String] {
    let group = JobState.waiting.contains(entry.job.state) ? [JobMark.waiting.countWord] : []
    return [entry.job.state.rawValue] + entry.mark.filterWords + group
  }

  /// Whether every job holds, since no term could be read.
  package var isEmpty: Bool { terms.isEmpty }

  /// Whether every term holds for a job.
  package func matches(_ job: JobSnapshot) -> Bool { matches(JobStore.Entry(job: job)) }

  /// Whether what it finds depends on the time.
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

  /// Whether a value fits a pattern: its beginning for a state, or all of it where the pattern is a
  /// whole word; the whole number of a job; any part of anything else; with `*` the whole value.
  private static func fits(_ value: String, _ pattern: String, _ field: Field) -> Bool {
    let value = value.lowercased()
    if pattern.contains("*") { return Glob.matches(Substring(value), Substring(pattern)) }
    return switch field {
    case .state: wholeStates.contains(pattern) ? value == pattern : value.hasPrefix(pattern)
    case .job, .op: value == pattern
    default: value.contains(pattern)
    }
  }

  /// Whether a job mentions `word`, which is in lower case.
  static func mentions(_ entry: JobStore.Entry, _ word: String) -> Bool {
    let job = entry.job
    return String(job.id.rawValue) == word || job.requestedBy.user.lowercased().contains(word)
      || job.operationWord.contains(word) || entry.mark.countWord.hasPrefix(word)
      || word == JobMark.waiting.countWord && JobState.waiting.contains(job.state)
      || job.options.comment?.lowercased().contains(word) ?? false
      || job.updates.contains { $0.name.lowercased().contains(word) }
  }
}

/// Patterns with `*` for any letters.
package enum Glob: Sendable {
  /// Whether the whole of `text` fits `pattern`; in time bounded by the product of their lengths.
  package static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
    let (text, pattern) = (Array(text.utf8), Array(pattern.utf8))
    let star = UInt8(ascii: "*")
    var (at, next) = (0, 0)
    // Where the last star stood and how much of the text it has taken.
    var retry: (pattern: Int, text: Int)?
    while at < text.count {
      if next < pattern.count, pattern[next] == star {
        retry = (next, at)
        next += 1
      } else if next < pattern.count, pattern[next] == text[at] {
        (at, next) = (at + 1, next + 1)
      } else if let (star, taken) = retry {
        retry = (star, taken + 1)
        (at, next) = (taken + 1, star + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == star }
  }
}

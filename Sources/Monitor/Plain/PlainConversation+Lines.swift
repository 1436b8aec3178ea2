import Canvas
import InstallJobs
import JobText

/// Handling of typed lines.
extension PlainConversation {
  /// Handles one typed line, without its line end.
  mutating func handle(line: String) -> Answer {
    let words = line.split(separator: " ").joined(separator: " ")
    switch step {
    case .idle where ["q", "quit"].contains(words), .choosing where ["q", "quit"].contains(words):
      return Answer(intents: [.quit])
    case .choosing where ["?", "help"].contains(words), .idle where ["?", "help"].contains(words):
      return menu(isWhole: true)
    case .idle: return words.isEmpty ? menu() : choose(words)
    case .choosing: return choose(words)
    case .job(let action): return handle(job: words, for: action)
    case .command(let name): return words.isEmpty ? leave() : run("\(name) \(words)")
    case .finding: return find(words)
    case .filter: return filter(words)
    case .order: return sort(words)
    case .setting: return change(words)
    case .question: return answerQuestion(words)
    case .operation: return handle(operation: words)
    case .packages(let operation): return handle(packages: words, for: operation)
    case .planning:
      guard words.isEmpty else { return Answer(lines: ["the plan is being made; Enter gives up"]) }
      step = .idle
      return Answer(lines: ["nothing was submitted"])
    case .plan(let request): return decide(words, request)
    }
  }

  /// The choices; with `isWhole` also the actions that are not available, with reasons.
  private mutating func menu(isWhole: Bool = false) -> Answer {
    step = .choosing
    let lines = PlainChoices.all.enumerated().compactMap { index, id -> String? in
      guard let action = state.actions.action(id),
        case .chosen(let text) = PlainChoices.way(to: id)
      else { return nil }
      let reason = action.flags.contains(.changes) ? state.changeRefusal : nil
      return "\(index + 1) \(text)" + (reason.map { " (not now: \($0))" } ?? "")
    }
    let words =
      isWhole
      ? ["a name does the same as its number: abort 12, log 12, history"]
        + PlainChoices.needless(state.actions).map { "not here: " + $0 } : []
    return Answer(lines: lines + words + ["number or name, ? for more, Enter for nothing:"])
  }

  private mutating func choose(_ words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    let parts = words.split(separator: " ", maxSplits: 1).map(String.init)
    let name = parts[0].lowercased()
    if PlainChoices.repeatable.contains(name) {
      guard parts.count == 1, PlainChoices.repeatableForJobs.contains(name),
        state.changeRefusal == nil
      else { return run(words) }
      guard state.book.queue.count > 0 else { return Answer(lines: ["there are no jobs"]) }
      step = .command(name)
      return Answer(lines: jobs + ["number of the job, or Enter for nothing:"])
    }
    guard let id = PlainChoices.action(name, in: state.actions) else {
      step = .choosing
      let choice = sanitize(words)
      return Answer(lines: ["there is no choice '\(choice)': a number or name, ? for the list"])
    }
    if let action = state.actions.action(id), action.flags.contains(.changes),
      let reason = state.changeRefusal
    {
      return Answer(lines: ["not now: \(sanitize(reason))"])
    }
    let rest = parts.count > 1 ? parts[1] : ""
    switch id {
    case .quit: return Answer(intents: [.quit])
    case .cleanUpFinished, .pauseQueue, .yield: return perform(id)
    case .compose:
      step = .operation
      let words = ComposeDraft.operations.enumerated().map { "\($0 + 1) \($1.rawValue)" }
      return Answer(lines: [words.joined(separator: ", ") + "; number, or Enter for nothing:"])
    case .showQueue: return Answer(lines: jobs)
    case .repair: return handle(packages: "all", for: .repair)
    case .showHistory, .nextProblem, .logLevel, .pauseDisplay, .reconnect, .settings, .find,
      .filter, .sort:
      return show(id, rest)
    default:
      if id == .follow, followed != nil { return stopFollowing() }
      guard state.book.queue.count > 0 else { return Answer(lines: ["there are no jobs"]) }
      step = .job(id)
      guard rest.isEmpty else { return handle(job: rest, for: id) }
      return Answer(lines: jobs + ["number of the job, or Enter for nothing:"])
    }
  }

  private mutating func leave() -> Answer {
    step = .idle
    return Answer()
  }

  /// Runs a command, as the screen does after a colon.
  private mutating func run(_ line: String) -> Answer {
    step = .idle
    state.message = nil
    let intents = state.run(line)
    return Answer(lines: state.message.map { [sanitize($0.text)] } ?? [], intents: intents)
  }

  /// A line for each of the first 50 jobs.
  var jobs: [String] {
    let places = state.book.list(.queue).places
    let isNarrowed = !state.book.filter.isEmpty
    guard !places.isEmpty else {
      return [isNarrowed ? "no job matches the filter" : "there are no jobs"]
    }
    let lines = places.prefix(50).compactMap { place in
      state.book[place.job].map { "job \(JobTable.line(of: $0.job))" }
    }
    return places.count > 50 ? lines + ["and \(places.count - 50) more"] : lines
  }

  private mutating func handle(operation words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    guard let number = Int(words), ComposeDraft.operations.indices.contains(number - 1) else {
      step = .operation
      return Answer(lines: [
        "there is no choice '\(sanitize(words))'; number, or Enter for nothing:"
      ])
    }
    let operation = ComposeDraft.operations[number - 1]
    step = .packages(operation)
    let all = operation == .upgrade || operation == .repair ? "all" : nil
    return Answer(lines: [
      "packages to \(operation.rawValue), as apt has them"
        + (all.map { ", '\($0)' for all of them" } ?? "") + ", or Enter for nothing:"
    ])
  }

  private mutating func handle(job words: String, for id: Action.ID) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    var ids: [JobID] = []
    for word in words.split(separator: " ") {
      guard let number = Int(word), state.book[JobID(number)] != nil else {
        return Answer(lines: ["there is no job '\(sanitize(String(word)))'"])
      }
      ids.append(JobID(number))
    }
    guard let first = ids.first, let job = state.book[first]?.job else { return Answer() }
    switch id {
    case .open: return Answer(lines: JobTable.job(job, timeOffset: state.timeOffset))
    case .showLog: return Answer(intents: [.fetchLog(first, from: nil)])
    case .showTimeline, .follow: return show(for: first, id)
    default:
      state.namedJobs = ids
      defer { state.namedJobs = nil }
      if let action = state.actions.action(id), let reason = state.disabledReason(action) {
        return Answer(lines: [sanitize(reason)])
      }
      return perform(id)
    }
  }

  /// Performs an action as its key does; prints the question if one opens.
  private mutating func perform(_ id: Action.ID) -> Answer {
    state.message = nil
    state.dialogue = nil
    // Lines typed before the question was printed do not answer it: the intent `discardInput` drops
    // them.
    var answer = Answer(intents: state.perform(id))
    if let dialogue = state.dialogue {
      step = .question
      let text = QuestionText(dialogue, state, columns: 200, rows: 20, hasKeys: false)
      let isAbort = if case .abort = dialogue { true } else { false }
      let box = isAbort ? CleanUpCheckbox.plain : nil
      answer.lines =
        [text.title]
        + text.lines.map { sanitize($0.text.trimmed) }.filter { !CleanUpCheckbox.isBox($0) }
      answer.lines.append(
        "1 \(Self.plain(text.keep)), 2 \(Self.plain(text.act))" + (box.map { ", \($0)" } ?? "")
          + "; number:")
    } else if let message = state.message {
      answer.lines.append(sanitize(message.text))
    }
    return answer
  }

  private static func plain(_ button: String) -> String {
    button.split(separator: " (").first.map { $0.lowercased() } ?? button
  }

  private mutating func answerQuestion(_ words: String) -> Answer {
    step = .idle
    guard let dialogue = state.dialogue else { return Answer(lines: ["nothing is asked any more"]) }
    if words == "3", case .abort = dialogue { _ = state.answerQuestion(with: .character("c")) }
    let isYes = words == "2" || words == "3" && dialogue.letter == "a"
    let intents = state.answerQuestion(with: isYes ? .character(dialogue.letter) : .escape)
    return Answer(
      lines: state.message.map { [sanitize($0.text)] } ?? [],
      intents: intents.filter { $0 != .discardInput })
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}

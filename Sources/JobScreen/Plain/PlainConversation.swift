import Canvas
package import InstallJobs

/// The monitor in plain mode, for screen readers and terminals without cursor control: lines are
/// only appended, and actions are chosen by number.
///
/// It uses the same state and the same table of actions as the screen: available actions,
/// confirmations and reasons are the same.
package struct PlainConversation: Sendable {
  /// The question that the next typed line answers.
  enum Step: Sendable {
    /// No question: an empty line prints the choices.
    case idle
    case choosing
    /// The number of the action's job, or several numbers.
    case job(Action.ID)
    /// The numbers of the jobs for a command such as `hold`.
    case command(String)
    /// The words to search jobs for.
    case finding
    /// The terms of the filter.
    case filter
    /// The order of the lists, by number or word.
    case order
    /// The number of the setting to change.
    case setting
    /// A question of the monitor: 1 keeps, 2 acts.
    case question
    /// The number of a new job's operation.
    case operation
    /// The packages of a new job.
    case packages(JobOperation)
    /// No question: the plan is awaited.
    case planning(JobRequest)
    /// The plan was printed: 1 discards it, 2 submits it.
    case plan(JobRequest)
  }

  /// Lines to print, then intents to perform.
  package struct Answer: Sendable {
    package var lines: [String] = []
    package var intents: [Intent] = []
    /// Whether the lines interrupt a printed question.
    ///
    /// They then start on a new line, because the user may have typed after the question, and end
    /// with the question again.
    package var interruptsPrompt = false
  }

  var state: MonitorState
  private var report: PlainReport
  var step = Step.idle
  /// The job whose times are printed when its plan arrives.
  var timed: JobID?
  /// Whether a page of the history was requested, to be printed when it arrives.
  var isHistoryAwaited = false
  /// The job whose log is followed, and its lines.
  var followed: (job: JobID, lines: LogSlice)?
  /// The lowest level of log lines to print.
  var level = LogLevel.info
  /// The open question, to be printed again after other lines; nil for none.
  private var prompt: String?
  /// Whether events of jobs are not printed.
  var isQuiet = false
  /// The last printed line about the connection.
  private var lastLine: String?
  /// The last printed pause of the queue.
  var shownPause: QueuePause?
  /// Jobs whose missing answer to an abort was reported.
  private var silent: Set<JobID> = []

  /// - Parameters:
  ///   - readOnlyReason: Why jobs must not be changed from here, as a sentence for users.
  ///   - timeOffset: Offset of the shown times from UTC, in seconds, positive in the east.
  ///   - preferences: The user's preferences; those for screens are kept unchanged.
  package init(
    readOnlyReason: String? = nil, timeOffset: Int = 0, preferences: Preferences = Preferences()
  ) {
    state = MonitorState(
      size: Size(columns: 80, rows: 24), readOnlyReason: readOnlyReason, timeOffset: timeOffset,
      preferences: preferences)
    report = PlainReport(timeOffset: timeOffset)
  }

  /// The first line, which says how to begin.
  package static let greeting = "press Enter for what can be done"

  /// Sets how commands in hints are spelled; nil keeps the engine's spelling.
  package mutating func advise(_ advice: (@Sendable (String) -> String)?) { state.advice = advice }

  // MARK: Events

  /// Handles an event or a typed line; the end of the input quits.
  package mutating func handle(_ event: MonitorEvent) -> Answer {
    let event = state.advice.map { event.advised($0) } ?? event
    if case .line(let line) = event {
      guard let line else { return Answer(intents: [.quit]) }
      let answer = handle(line: line)
      prompt = isAsking ? answer.lines.last { $0.hasSuffix(":") } : nil
      return answer
    }
    var answer = receive(event)
    defer { if case .planned = event { prompt = answer.lines.last { $0.hasSuffix("number:") } } }
    let open = state.unansweredAborts.unacknowledged(at: state.time.here)
    answer.lines += open.subtracting(silent).sorted().map {
      "the abort of job \($0) is not acknowledged: the engine has not answered for"
        + " \(UnansweredAborts.answerTimeout)s"
    }
    silent = open
    if let prompt, isAsking, !answer.lines.isEmpty {
      if case .planned = event { return answer }
      answer.lines.append(prompt)
      answer.interruptsPrompt = true
    }
    return answer
  }

  /// Whether the next typed line answers a question.
  private var isAsking: Bool {
    switch step {
    case .idle, .planning: false
    default: true
    }
  }

  /// When a line is printed without an event: an abort is not answered in time.
  ///
  /// Nil for none.
  package var nextMoment: Timestamp? {
    state.time.here.flatMap { state.unansweredAborts.nextUnacknowledged(after: $0) }
  }

  private mutating func receive(_ event: MonitorEvent) -> Answer {
    let news = report.apply(event)
    var answer = Answer(lines: isQuiet ? [] : news)
    answer.lines += linesAfter(at: event)
    switch event {
    case .planned(let request, let plan):
      answer.lines += show(plan, of: request)
      if case .plan = step { answer.intents.append(.discardInput) }
    case .refused(let request, let error):
      if case .planning(request) = step { step = .idle }
      answer.lines.append(sanitize(error.description))
    case .submitted(let job, _):
      answer.lines.append("job \(job.id) is in the queue")
    case .logChunk(_, _, let text):
      var slice = LogSlice(of: nil)
      answer.lines += (slice.append(text) + slice.finish()).map(sanitize).filter(isWanted).suffix(
        20)
    case .failed, .notice, .link, .abortAnswer, .yieldAnswer, .readOnly:
      let heard = update(event)
      answer.intents += heard.intents
      if let words = heard.words, answer.lines.isEmpty || heard.isOfCleanUp {
        answer.lines.append(words)
      }
      if case .link(let link) = event, let sentence = Self.sentence(link), sentence != lastLine {
        lastLine = sentence
        answer.lines.append(sentence)
      }
      return answer
    case .event(let event):
      if case .engine(let notice) = event.payload { shownPause = notice.pause }
    default: break
    }
    let heard = update(event)
    answer.intents += heard.intents
    if case .engine = event { answer.lines += pauseNews() }
    if let words = heard.words, heard.isOfCleanUp { answer.lines.append(words) }
    if case .snapshotEnd = event {
      let tally = state.book.tally
      answer.lines.append(
        "\(Figures.count(tally.jobs, "job")), \(tally.over) of them over; press Enter for what can be done"
      )
    }
    return answer
  }

  // MARK: Typed lines

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

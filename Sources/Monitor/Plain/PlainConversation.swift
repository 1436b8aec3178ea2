import Canvas
package import InstallJobs
import JobText

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
    /// The numbers of the jobs for a command such as `withdraw`.
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
    let open = state.pendingCommands.unacknowledgedAborts(at: state.time.here)
    answer.lines += open.subtracting(silent).sorted().map {
      "the abort of job \($0) is not acknowledged: the engine has not answered for"
        + " \(JobWords.abortAnswerTimeout)s"
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
    state.time.here.flatMap { state.pendingCommands.nextUnacknowledged(after: $0) }
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
}

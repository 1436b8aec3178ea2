import InstallJobs
import JobText

extension MonitorState {
  /// The parser of the command prompt, with the present themes and jobs.
  var commandLine: CommandLine {
    CommandLine(
      actions: actions, themes: themes,
      jobs: shownBook.list(list).places.prefix(CommandLine.mostJobs).map(\.job))
  }

  /// Runs a line from the command prompt.
  mutating func run(_ line: String) -> [Intent] {
    let command = commandLine.command(line)
    if replay != nil, command.arrangesLists {
      message = Message(text: "a replay has no list to arrange", isAlert: true)
      return []
    }
    switch command {
    case .action(let id):
      guard let action = actions.action(id) else { return [] }
      return invoke(action)
    case .onJobs(let id, let jobs): return invoke(id, on: jobs)
    case .cancelAborts(let jobs):
      return ask(jobs, "cancel the abort", unless: \.cancelHindrance) {
        $0.isStopping ? .cancelAbort($0.id) : nil
      }
    case .pause(let jobs):
      return ask(jobs, "pause", unless: \.pauseHindrance) {
        $0.pauseHindrance == nil ? .pauseJob($0.id) : nil
      }
    case .resume(let jobs):
      return ask(jobs, "resume", unless: \.resumeHindrance) {
        $0.isPaused && !$0.isStopping ? .resumeJob($0.id) : nil
      }
    case .move(let jobs, let place):
      return ask(jobs, "move", unless: \.moveHindrance) {
        $0.state == .queued ? .move($0.id, place) : nil
      }
    case .pauseQueue(let isPaused):
      if let refusal = changeRefusal {
        message = Message(text: "\(isPaused ? "pause" : "resume"): \(refusal)", isAlert: true)
        return []
      }
      return isPaused ? pauseQueueOnly() : resumeQueue()
    case .sort(let order):
      sort(by: order)
      return [.keep(preferences)]
    case .filter(let text): acceptFilter(text, before: book.filter.text)
    case .find(let text):
      findText = text
      find(forward: true, here: true)
    case .theme(let name):
      preferences.theme = name
      return [.useTheme(name), .keep(preferences)]
    case .column(let column):
      guard !column.isAlwaysShown else {
        message = Message(text: "column \(column.rawValue) is always shown", isAlert: true)
        return []
      }
      preferences.columns.toggle(column)
      let isShown = preferences.columns.shown.contains(column)
      say("column \(column.rawValue) is \(isShown ? "shown" : "hidden")")
      return [.keep(preferences)]
    case .job(let id):
      guard book[id] != nil else {
        message = Message(text: unknown(id), isAlert: true)
        return []
      }
      screens = [list == .history ? .history : .queue, .job(id)]
    case .compose(let operation, let packages):
      guard let action = actions.action(.compose) else { return [] }
      if let reason = disabledReason(action) {
        message = Message(text: "\(operation.rawValue): \(reason)", isAlert: true)
        return []
      }
      return openCompose(ComposeDraft(operation, packages: packages))
    case .unknown(let reason): message = Message(text: reason, isAlert: true)
    }
    return []
  }

  /// Performs an action on the given jobs, regardless of selection and tags.
  private mutating func invoke(_ id: Action.ID, on jobs: [JobID]) -> [Intent] {
    guard let action = actions.action(id) else { return [] }
    if let missing = jobs.first(where: { book[$0] == nil }) {
      message = Message(text: unknown(missing), isAlert: true)
      return []
    }
    namedJobs = jobs
    defer { namedJobs = nil }
    return invoke(action)
  }

  /// Sends a request for the given jobs, else for the selected or tagged ones; names the jobs that
  /// do not allow it.
  private mutating func ask(
    _ jobs: [JobID], _ name: String, unless reason: (JobSnapshot) -> String?,
    _ intent: (JobSnapshot) -> Intent?
  ) -> [Intent] {
    if let refusal = changeRefusal {
      message = Message(text: "\(name): \(refusal)", isAlert: true)
      return []
    }
    let ids = jobs.isEmpty ? targets : jobs
    if let missing = ids.first(where: { book[$0] == nil }) {
      message = Message(text: unknown(missing), isAlert: true)
      return []
    }
    let meant = ids.compactMap { book[$0]?.job }
    let intents = meant.compactMap(intent)
    let left = meant.filter { intent($0) == nil }
    guard left.isEmpty, !meant.isEmpty else {
      let reasons = left.compactMap(reason)
      let text =
        reasons.first.map { first in
          // Different reasons are listed per job, as far as there is room.
          Set(reasons).count == 1
            ? "job \(JobEnding.list(left.map { "\($0.id)" })) \(first)"
            : JobEnding.list(left.map { "job \($0.id) \(reason($0) ?? "")" })
        } ?? "no job is selected"
      message = Message(text: "\(name): \(text)", isAlert: true)
      return intents
    }
    return announce(intents)
  }

  /// Performs an action if it is for this screen and possible; otherwise says why not.
  mutating func invoke(_ action: Action) -> [Intent] {
    guard action.screens?.contains(keyScreen) ?? true else {
      if action.flags.contains(.changes), let reason = replayRefusal {
        message = Message(text: "\(action.title): \(reason)", isAlert: true)
        return []
      }
      message = Message(text: "\(action.title): not on this screen", isAlert: true)
      return []
    }
    if let reason = disabledReason(action) {
      message = Message(text: "\(action.title): \(reason)", isAlert: true)
      return []
    }
    return perform(action.id)
  }

  mutating func sort(by order: JobSort) {
    preferences.sort = order
    book.arrange(book.filter, order)
    pausedStore?.arrange(book.filter, order)
    isFollowing = isFollowing && order == .standard
    say("sorted by \(order.key.word)" + (order.isDescending ? ", the largest first" : ""))
  }
}

extension JobSnapshot {
  /// Why an abort of the job cannot be cancelled; follows the job number.
  fileprivate var cancelHindrance: String? { "is not asked to stop" }
  /// Why the job cannot be resumed; follows the job number.
  fileprivate var resumeHindrance: String? { state.isFinal ? "is over" : "is not paused" }
  /// Why the job cannot be moved in the queue; follows the job number.
  fileprivate var moveHindrance: String? { "does not wait in the queue" }

  /// Why the job cannot be paused; follows the job number.
  ///
  /// Nil if it can.
  fileprivate var pauseHindrance: String? {
    if state.isFinal { return "is over" }
    if isStopping { return "is stopping" }
    return isPaused ? "is paused already" : nil
  }
}

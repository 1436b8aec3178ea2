package import Canvas
package import InstallJobs
import JobText

/// The complete state of the monitor.
///
/// Only ``update(_:)`` changes it; ``render(_:_:)`` draws it.
package struct MonitorState: Sendable {
  /// A text in the message line.
  package struct Message: Sendable, Hashable {
    /// The text, not yet sanitised.
    package var text: String
    /// Whether it reports a failure or refusal.
    package var isAlert = false
    /// Number of failed jobs that the message stands for.
    var failures = 0
    /// Whether it is the engine's last message before it stopped.
    var isParting = false
    /// Whether it answers a key.
    var isAnswer = false
    /// The job that the answer is about.
    var job: JobID?
    /// The time here until which events that no key asked for do not replace the answer.
    var until: Timestamp?
  }

  /// A list and its filter text.
  struct TagScope: Sendable, Hashable {
    var list: Screen.Kind
    var filter: String
  }

  /// The table of keys and help texts.
  package let actions: ActionTable
  /// The terminal's size at the last resize.
  package internal(set) var size: Size
  /// Why jobs must not be changed from here; nil if they may.
  package internal(set) var readOnlyReason: String?
  /// Offset of the shown times from UTC, in seconds, positive in the east.
  package internal(set) var timeOffset: Int
  /// The user's preferences.
  package internal(set) var preferences: Preferences
  /// Rewrites commands in hints for this user; nil keeps the engine's spelling.
  package var advice: (@Sendable (String) -> String)?
  /// The names of the available themes.
  let themes: [String]

  var book = JobStore()
  /// The jobs shown instead of `book` while the display is paused.
  var pausedStore: JobStore?
  /// The time, by the engine's clock, at which the display was paused.
  var pausedAt: Timestamp?
  /// The other content of the paused display.
  var pausedDisplay: PausedDisplay?
  /// The job whose failure was reported last: the key for the next problem selects it.
  var lastFailedJob: JobID?
  // The jobs received so far of an unfinished snapshot.
  var arriving: [JobID: JobStore.Entry]?

  /// The stack of screens, the visible one last; the first is always the queue or the history.
  var screens: [Screen] = [.queue]
  var queueCursor = ListCursor()
  var historyCursor = ListCursor()
  /// Tagged jobs: actions apply to them instead of the selected job.
  package internal(set) var tags: Set<JobID> = []
  /// The list and filter that the tags were last checked against.
  var tagScope = TagScope(list: .queue, filter: "")
  var dialogue: Dialogue?
  var prompt: Prompt?
  var sortMenu: SortMenu?
  var draft = ComposeDraft()
  var settings: SettingsPage
  /// The jobs named by the command that is being performed.
  var namedJobs: [JobID]?
  /// Whether the current action came from the mouse; then it always needs a confirmation.
  var isByMouse = false
  /// A job submitted here, to be selected as soon as the list contains it.
  var jobToSelect: JobID?
  /// Whether the job screen shows only packages with problems.
  var showsProblemsOnly = false
  /// The time here and by the engine's clock.
  var time = MonitorTime()
  /// How far back the history is loaded.
  var past = PastJobs()
  /// The help page while it is open.
  var help: HelpView?
  /// Jobs that changed while the engine was away, for two seconds after the reconnection.
  var changes: ChangedRows?
  /// Whether a snapshot was applied before: only then differences are shown.
  var hasSnapshot = false
  /// Jobs with another user's abort that the next key cancels if it is the same key again.
  var offeredWithdrawal: Set<JobID>?
  /// The selection moved without a key, and no key was pressed since.
  var ownMove: AutomaticMove?
  /// The time until which the row order is frozen after a move of the selection.
  var orderFrozenUntil: Timestamp?
  /// The last message; the next key removes it.
  var lastMessage: Message?
  /// The message about failed jobs that no key has acknowledged; it is shown after ``lastMessage``.
  var failureNews: Message?
  /// The reports since the last key of jobs that were cleaned up after their abort.
  var reportedOutcomes: [String] = []
  /// What was requested from the engine and is not answered or not done.
  var pendingCommands = PendingCommands()
  /// The state of the connection to the engine.
  package internal(set) var link = LinkState.connecting
  /// The engine's last status.
  package internal(set) var engine: EngineStatus?
  /// The last event about the queue, with its sequence number.
  var queueNews: (notice: EngineNotice, seq: Int)?
  /// The name of the journal of the known jobs; nil before the first one.
  var epoch: String?
  /// The sequence number of the last event.
  var seq = 0
  /// The job whose plan and log are loaded.
  var shown: JobID?
  var log = LogTail()
  var logView = LogView()
  /// Whether a requested piece of the log has not arrived; live pieces are ignored until then.
  var isLogAwaited = false
  /// Whether the last piece added nothing: then a gap is shown and not requested again.
  var isLogGapKept = false
  /// The package in the first row of the job screen; nil keeps the current package visible.
  var stepTop: Int?
  var rates = RateHistory()
  /// The package found by the last search.
  var foundStep: String?
  /// The replay of an ended job; nil outside a replay.
  var replay: Replay?
  /// A requested recording that is not complete.
  var arrivingRecording: ArrivingRecording?
  /// Number of recordings requested so far.
  var recordingsAsked = 0
  /// The screens to return to after the replay.
  var returnScreens: [Screen] = []
  /// Whether the selection follows the job at work.
  var isFollowing = true
  var findText = ""
  /// The animation step of bars with unknown progress.
  var pulse = 0

  /// A monitor without jobs and without a connection.
  ///
  /// - Parameters:
  ///   - size: The terminal's size.
  ///   - readOnlyReason: Why jobs must not be changed from here, as a sentence for users.
  ///   - timeOffset: Offset of the shown times from UTC, in seconds, positive in the east.
  ///   - preferences: The user's preferences.
  ///   - standard: The preferences without any settings of the user.
  ///   - themes: The names of the available themes.
  ///   - actions: The table of keys.
  package init(
    size: Size, readOnlyReason: String? = nil, timeOffset: Int = 0,
    preferences: Preferences = Preferences(), standard: Preferences = Preferences(),
    themes: [String] = [],
    actions: ActionTable = .standard
  ) {
    self.preferences = preferences
    self.themes = themes
    settings = SettingsPage(themes: themes, standard: standard)
    self.size = size
    self.readOnlyReason = readOnlyReason
    self.timeOffset = timeOffset
    self.actions = actions
    book.arrange(JobFilter(), preferences.sort)
  }

  /// The text of the message line: the last message, followed by the reported failures.
  package internal(set) var message: Message? {
    get {
      guard let lastMessage, let shownFailure else { return lastMessage ?? shownFailure }
      return Message(text: lastMessage.text + " · " + shownFailure.text, isAlert: true)
    }
    set {
      lastMessage = newValue
      if newValue == nil { failureNews = nil }
    }
  }

  /// The visible screen.
  package var screen: Screen { screens.last ?? .queue }
  /// The list at the bottom of the stack of screens: the queue or the history.
  package var list: Screen.Kind { screens.first?.kind ?? .queue }
  /// Whether the display is paused while jobs continue.
  package var isDisplayPaused: Bool { pausedStore != nil }

  /// The jobs that are drawn; in a replay, the one replayed job.
  var shownBook: JobStore { replay?.book ?? listBook }
  /// The jobs of the lists, also during a replay: tags and selection refer to them.
  var listBook: JobStore { pausedStore ?? book }
  var cursor: ListCursor {
    get { list == .history ? historyCursor : queueCursor }
    set { if list == .history { historyCursor = newValue } else { queueCursor = newValue } }
  }

  /// How the jobs of the list map to rows.
  var listRows: ListRows {
    let jobs = listBook.list(list).count
    return ListRows(
      jobs: jobs, doubled: preferences.isTree && list == .queue ? listBook.atWorkCount : 0)
  }

  /// The job that keys on this screen apply to: the screen's own job, otherwise the selected one.
  package var selected: JobID? { namedJobs?.first ?? screen.job ?? cursor.selected }

  /// The job at work that the selection follows; nil if the selection stays where it is.
  var followed: JobID? {
    isFollowing && !isDisplayPaused && list == .queue ? book.firstAtWork : nil
  }

  /// Whether keys move the selection: no question, menu or input line is open.
  var hasListKeys: Bool { prompt == nil && dialogue == nil && sortMenu == nil }

  /// The jobs that an action applies to, by ascending number except for named ones: the jobs named
  /// by a command, else the tagged jobs on a list, else the selected job.
  package var targets: [JobID] {
    if let namedJobs { return namedJobs }
    if screen.job == nil, !tags.isEmpty { return tags.sorted() }
    return selected.map { [$0] } ?? []
  }

  /// Whether any target fulfils the condition.
  ///
  /// With more than 256 tagged jobs it is true without a check, so that the time for a frame does
  /// not grow with the number of tags.
  func anyTarget(_ condition: (JobStore.Entry) -> Bool) -> Bool {
    guard namedJobs == nil, screen.job == nil, !tags.isEmpty else {
      return targets.contains { book[$0].map(condition) ?? false }
    }
    guard tags.count <= 256 else { return true }
    return tags.contains { book[$0].map(condition) ?? false }
  }

  /// Whether ``MonitorEvent/tick`` is needed: the shown job's progress is unknown.
  package var wantsTick: Bool {
    guard preferences.hasPulse, link.isLive, !isDisplayPaused, let shown, let entry = book[shown]
    else {
      return false
    }
    return entry.hasUnknownProgress
  }

  /// Whether messages from the engine are expected because a job is at work.
  package var isWorkExpected: Bool { link.isLive && book.firstAtWork != nil }

  /// Why an action is not available now, in a few words; nil if it is.
  package func disabledReason(_ action: Action) -> String? {
    if action.flags.contains(.changes), let reason = changeRefusal { return reason }
    switch action.id {
    case .replay: return noReplayRefusal
    case .retry: return retryRefusal
    case .holdJob: return holdRefusal
    case .startFirst, .startLast: return moveRefusal
    case .showTimeline, .showJob, .showLog, .copyField, .copyRow:
      return selected == nil ? "no job is selected" : nil
    case .reconnect: return link.isLive ? "connected already" : nil
    default: return nil
    }
  }
}

extension MonitorState {
  /// Why no job can be changed from here now; nil if jobs can be changed.
  var changeRefusal: String? {
    replayRefusal ?? readOnlyReason ?? (link.isLive ? nil : "not connected to the engine")
  }

  /// Why no target can be retried; nil if one can.
  private var retryRefusal: String? {
    if anyTarget(\.isRetriable) { return nil }
    let jobs = targets.prefix(2).compactMap { book[$0] }
    guard let entry = jobs.first else { return "no job is selected" }
    guard jobs.count == 1 else { return "none of the jobs can be retried" }
    let job = entry.job
    if let retry = entry.retry { return "job \(job.id) was retried as job \(retry)" }
    if !job.state.isFinal { return "job \(job.id) is not over" }
    return "all of job \(job.id) succeeded"
  }

}

extension MonitorState {
  /// Whether the function bar shows an action: actions that fit the selected job replace others.
  func isOffered(_ action: Action) -> Bool {
    guard let jobs = action.bar?.jobs, jobs != .any else { return true }
    let entry = tags.isEmpty || screen.job != nil ? selected.flatMap { book[$0] } : nil
    let isEnded = entry?.job.state.isFinal ?? false
    guard jobs == .ended else { return !isEnded }
    guard isEnded, let job = entry?.job else { return false }
    switch action.id {
    case .retry: return entry?.isRetriable ?? false
    case .repair: return !job.repairs.isEmpty && !job.isCleanedUp
    case .nextProblem:
      return book.tally[.failed] + book.tally[.interrupted] > (job.isProblem ? 1 : 0)
    default: return true
    }
  }

  /// Whether an action would only report that it does not apply to the selected job.
  func isInapplicable(_ action: Action.ID) -> Bool {
    guard tags.isEmpty, let job = selected.flatMap({ book[$0]?.job }) else { return false }
    return switch action {
    case .abort: job.state.isFinal
    case .cleanUp: !job.state.isFinal || job.isCleanedUp
    default: false
    }
  }
}

extension JobStore.Entry {
  /// Whether the progress of the current work is unknown: verification, a removal, triggers.
  var hasUnknownProgress: Bool {
    if job.state == .finalizing { return true }
    guard job.state == .installing || job.state == .downloading || job.state == .stopping,
      let current = JobWords(entry: self).current
    else { return false }
    return UpdateGauge(current) == .unknown
  }
}

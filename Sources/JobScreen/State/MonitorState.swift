package import Canvas
package import InstallJobs

/// Everything the monitor knows and shows: changed by ``update(_:)`` alone, drawn by ``render(_:_:)``.
package struct MonitorState: Sendable {
  /// What the message line says.
  package struct Message: Sendable, Hashable {
    /// The text, not yet sanitised.
    package var text: String
    /// Whether it tells of a failure or refusal.
    package var isAlert = false
    /// How many jobs that failed it stands for.
    var failures = 0
    /// Whether it is the last that the engine said before it stopped.
    var isParting = false
    /// Whether a key waited for it.
    var isAnswer = false
    /// The job that it is about, where it is an answer.
    var job: JobID?
    /// Until when what happens by itself does not take the place of an answer.
    var until: Timestamp?
  }

  /// A list and what narrows it.
  struct TagScope: Sendable, Hashable {
    var list: Screen.Kind
    var filter: String
  }

  /// The table that keys and help come from.
  package let actions: ActionTable
  /// The terminal's size, by the last resize.
  package internal(set) var size: Size
  /// Why jobs must not be changed from here; nil when they may.
  package internal(set) var readOnlyReason: String?
  /// Seconds east of UTC for the times shown.
  package internal(set) var timeOffset: Int
  /// How the person wants the screen.
  package internal(set) var preferences: Preferences
  /// How advised commands must be typed here, where that is not as the engine spells them.
  package var advice: (@Sendable (String) -> String)?
  /// The names of the themes that can be chosen.
  let themes: [String]

  var book = JobStore()
  /// What is shown instead of `book` while the display is held.
  var heldBook: JobStore?
  /// The time by the engine's clock when the display was held.
  var heldAt: Timestamp?
  /// What else stands still while the display is held.
  var held: HeldDisplay?
  /// The job whose failure was told last: the key for problems goes there.
  var failed: JobID?
  /// A clean-up of several jobs that is under way.
  var cleanUps: CleanUpRun?
  /// Jobs to be cleaned up when they have stopped, as the question before their abort was answered.
  var cleanedAfterAbort: Set<JobID> = []
  // Jobs of a snapshot that has not ended.
  var arriving: [JobID: JobStore.Entry]?

  /// The screens, the one shown last; the first is always the queue or the history.
  var screens: [Screen] = [.queue]
  var queueCursor = ListCursor()
  var historyCursor = ListCursor()
  /// Jobs that actions apply to instead of the selected one.
  package internal(set) var tags: Set<JobID> = []
  /// What the tags were last compared with.
  var tagScope = TagScope(list: .queue, filter: "")
  var dialogue: Dialogue?
  var prompt: Prompt?
  var sortMenu: SortMenu?
  var draft = ComposeDraft()
  var settings: SettingsPage
  /// The jobs that a command being done names.
  var named: [JobID]?
  /// What is done was asked for with the mouse: it is confirmed whatever it is.
  var isByMouse = false
  /// A job that was submitted here: selected as soon as it is known.
  var wanted: JobID?
  /// The job screen shows only packages with problems.
  var showsProblemsOnly = false
  /// The time here and by the engine's clock.
  var time = MonitorTime()
  /// How far back the history is known.
  var past = PastJobs()
  /// Since when aborts wait for an answer.
  var openAborts = OpenAborts()
  /// Help while it is open.
  var help: HelpView?
  /// What became otherwise while the engine was away, for a moment after it is back.
  var changes: ChangedRows?
  /// Whether jobs were told before: what differs then is worth showing.
  var hasHeardJobs = false
  /// Jobs whose abort was asked for here and not taken back.
  var ownAborts: Set<JobID> = []
  /// Jobs whose abort by others the next key takes back if it is the same.
  var offeredWithdrawal: Set<JobID>?
  /// The selection moved by itself, and no key was pressed since.
  var ownMove: OwnMove?
  /// Until when no row moves because the selection was moved.
  var orderHeldUntil: Timestamp?
  /// What was said last; the next key takes it away.
  var spoken: Message?
  /// Which jobs failed that nobody has answered with a key; what is said meanwhile stands before it.
  var failureNews: Message?
  /// How jobs ended that are cleaned up because their abort was asked for with that wish.
  var stopped: [JobID: String] = [:]
  /// What was told of such jobs since the last key.
  var stoppedTold: [String] = []
  /// What keys have asked for that the engine has not answered.
  var openOrders = OpenOrders()
  /// How the monitor stands with the engine.
  package internal(set) var link = LinkState.connecting
  /// What the engine told about itself last.
  package internal(set) var engine: EngineStatus?
  /// What the engine told of its queue last, and the number of that event.
  var queueNews: (notice: EngineNotice, seq: Int)?
  /// The journal whose jobs are known; nil before an engine has named one.
  var epoch: String?
  /// The number of the last event seen.
  var seq = 0
  /// The job whose plan and log are at hand.
  var shown: JobID?
  var log = LogTail()
  var logView = LogView()
  /// A piece of the log was asked for and has not come: live pieces wait for it.
  var isLogAwaited = false
  /// The last piece brought nothing: a gap is shown instead of asked for again.
  var isLogGapKept = false
  /// The package that the job screen's window starts at; nil keeps the present one in sight.
  var stepTop: Int?
  var rates = RateHistory()
  /// The package that was found last.
  var foundStep: String?
  /// A job that is over, shown as it was; nil where all is live.
  var replay: Replay?
  /// A recording that was asked for.
  var arrivingRecording: ArrivingRecording?
  /// How many recordings were asked for.
  var recordingsAsked = 0
  /// The screens to go back to from the replay.
  var returnScreens: [Screen] = []
  /// Whether the selection goes along with the job at work.
  var isFollowing = true
  var findText = ""
  /// Steps of the pulse of bars that cannot know how far they are.
  var pulse = 0

  /// A monitor that knows nothing yet.
  ///
  /// - Parameters:
  ///   - size: The terminal's size.
  ///   - readOnlyReason: Why jobs must not be changed from here, for people.
  ///   - timeOffset: Seconds east of UTC.
  ///   - preferences: How the person wants the screen.
  ///   - standard: What the person would have without any settings.
  ///   - themes: The names of the themes that can be chosen.
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

  /// What the message line says: what was said last, and behind it what failed.
  package internal(set) var message: Message? {
    get {
      guard let spoken, let shownFailure else { return spoken ?? shownFailure }
      return Message(text: spoken.text + " · " + shownFailure.text, isAlert: true)
    }
    set {
      spoken = newValue
      if newValue == nil { failureNews = nil }
    }
  }

  /// The screen on top.
  package var screen: Screen { screens.last ?? .queue }
  /// The list underneath.
  package var list: Screen.Kind { screens.first?.kind ?? .queue }
  /// Whether the display is held while jobs go on.
  package var isHeld: Bool { heldBook != nil }

  /// What is drawn: in a replay its one job.
  var shownBook: JobStore { replay?.book ?? listBook }
  /// What the lists have, also behind a replay: tags and selection are about these jobs.
  var listBook: JobStore { heldBook ?? book }
  var cursor: ListCursor {
    get { list == .history ? historyCursor : queueCursor }
    set { if list == .history { historyCursor = newValue } else { queueCursor = newValue } }
  }

  /// How the jobs of the list lie on rows.
  var listRows: ListRows {
    let jobs = listBook.list(list).count
    return ListRows(
      jobs: jobs, doubled: preferences.isTree && list == .queue ? listBook.atWorkCount : 0)
  }

  /// The job that a key on this screen is about: the screen's own, else the selected one.
  package var selected: JobID? { named?.first ?? screen.job ?? cursor.selected }

  /// The job at work that the selection goes along with; nil when it stays where it is.
  var followed: JobID? { isFollowing && !isHeld && list == .queue ? book.firstAtWork : nil }

  /// Whether keys move the selection of the list, not a question, a menu or a line being typed.
  var hasListKeys: Bool { prompt == nil && dialogue == nil && sortMenu == nil }

  /// Jobs that an action applies to: those that a command names, the tagged ones on a list, else the
  /// one selected; by number.
  package var targets: [JobID] {
    if let named { return named }
    if screen.job == nil, !tags.isEmpty { return tags.sorted() }
    return selected.map { [$0] } ?? []
  }

  /// Whether one of the targets is such, looking at no more than a few hundred of them: a frame
  /// must not take longer because many jobs are tagged.
  func anyTarget(_ condition: (JobStore.Entry) -> Bool) -> Bool {
    guard named == nil, screen.job == nil, !tags.isEmpty else {
      return targets.contains { book[$0].map(condition) ?? false }
    }
    guard tags.count <= 256 else { return true }
    return tags.contains { book[$0].map(condition) ?? false }
  }

  /// Whether ``MonitorEvent/tick`` is wanted: something works whose progress cannot be known.
  package var wantsTick: Bool {
    guard preferences.hasPulse, link.isLive, !isHeld, let shown, let entry = book[shown] else {
      return false
    }
    return entry.isUnknowable
  }

  /// Whether the engine should be heard of: jobs are at work.
  package var isWorkExpected: Bool { link.isLive && book.firstAtWork != nil }

  /// Why an action cannot be done now, in a few words; nil when it can.
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
  /// Why no job can be changed from here now; nil when they can.
  var changeRefusal: String? {
    replayRefusal ?? readOnlyReason ?? (link.isLive ? nil : "not connected to the engine")
  }

  /// Why there is nothing to retry; nil when there is.
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
  /// Whether the function bar names an action: what is possible for the job selected takes the place
  /// of what is not.
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

  /// Whether an action would only say that it cannot do anything to the job selected.
  func isPointless(_ action: Action.ID) -> Bool {
    guard tags.isEmpty, let job = selected.flatMap({ book[$0]?.job }) else { return false }
    return switch action {
    case .abort: job.state.isFinal
    case .cleanUp: !job.state.isFinal || job.isCleanedUp
    default: false
    }
  }
}

extension JobStore.Entry {
  /// Whether the present work has no measure: the verification, a removal, triggers.
  var isUnknowable: Bool {
    if job.state == .finalizing { return true }
    guard job.state == .installing || job.state == .downloading || job.state == .stopping,
      let current = JobWords(entry: self).current
    else { return false }
    return UpdateGauge(current) == .unknown
  }
}

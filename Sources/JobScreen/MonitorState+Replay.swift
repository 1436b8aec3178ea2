package import InstallJobs

extension MonitorState {
  /// The screen by whose keys actions are done: a replay has its own, whichever page is shown.
  var keyScreen: Screen.Kind { replay == nil ? screen.kind : .replay }

  /// The job whose replay is shown; nil where all is live.
  package var replayed: JobID? { replay?.job }

  /// The log that is shown.
  var shownLog: LogTail { replay?.log ?? log }

  /// The step of the pulse that is shown: in a replay that of its moment.
  var shownPulse: Int {
    guard let replay else { return pulse }
    return preferences.hasPulse ? Int((replay.elapsed * 4).bounded(to: 0...1e9)) : 0
  }

  /// Why nothing can be done to jobs from a replay; nil outside.
  var replayRefusal: String? {
    replay.map { "a replay of job \($0.job) changes nothing: \(leavingKey) leaves it" }
  }

  /// The key that leaves a replay.
  var leavingKey: String { actions.action(.leaveReplay)?.keys.first?.name ?? "1" }

  /// Why the job selected cannot be replayed; nil when it can.
  var noReplayRefusal: String? {
    guard let id = selected else { return "no job is selected" }
    if let job = book[id]?.job, !job.state.isFinal {
      return "job \(id) is not over yet"
    }
    return link.isLive ? nil : "not connected to the engine"
  }

  // MARK: Coming and going

  /// Asks for the recording of a job.
  mutating func askForReplay(of id: JobID, speed: Int = 1) -> [Intent] {
    arrivingRecording = ArrivingRecording(id, from: screens, speed: speed)
    say("reading the recording of job \(id)")
    return [.fetchRecording(id)]
  }

  /// Takes what is told about a replay.
  mutating func take(_ news: ReplayNews) -> [Intent] {
    switch news {
    case .wanted(let id, let speed): return askForReplay(of: id, speed: speed)
    case .begin(let job, let length):
      guard arrivingRecording?.id == job.id else { break }
      arrivingRecording?.take(job, logLength: length)
    case .events(let id, let events):
      guard arrivingRecording?.id == id else { break }
      arrivingRecording?.take(events)
      let count = arrivingRecording?.events.count ?? 0
      say("reading the recording of job \(id): \(Figures.count(count, "event"))")
    case .end(let id): open(recordingOf: id)
    case .failed(let id, let error):
      guard arrivingRecording?.id == id else { break }
      arrivingRecording = nil
      message = Message(text: "replay: \(error.description)", isAlert: true)
    case .log(let id, let asked, let offset, let text):
      guard replay?.job == id else { break }
      replay?.take(logFrom: asked, offset: offset, text: text)
      searchReplayLog()
    case .noLog(let id, let error):
      guard replay?.job == id else { break }
      replay?.takeLogFailure(error)
      message = Message(text: "the log: \(error.description)", isAlert: true)
    }
    return []
  }

  private mutating func open(recordingOf id: JobID) {
    guard let arrived = arrivingRecording, arrived.id == id, let job = arrived.job else { return }
    arrivingRecording = nil
    guard let recording = Recording(arrived) else {
      let text = "replay: the journal has no events of job \(id), so nothing can be shown again"
      message = Message(text: text, isAlert: true)
      return
    }
    // What was typed meanwhile was meant for something else.
    guard arrived.screens == screens, dialogue == nil, prompt == nil, sortMenu == nil, help == nil
    else {
      say("the replay of job \(id) is not opened: another screen is")
      return
    }
    book.takePast([job])
    let page: Screen = screen.job == id ? screen : .job(id)
    returnScreens = screens
    screens = [list == .history ? .history : .queue, page]
    replay = Replay(recording, speed: arrived.speed, at: time.here)
    logView = LogView()
    stepTop = nil
    foundStep = nil
    let gaps = recording.gaps(timeOffset: timeOffset)
    say((["bars between two stages were not recorded"] + gaps).joined(separator: "; "))
  }

  /// Leaves the replay; what is shown is live again.
  mutating func leaveReplay() {
    guard replay != nil else { return }
    endReplay()
    if !returnScreens.isEmpty { screens = returnScreens }
    returnScreens = []
  }

  private mutating func endReplay() {
    replay = nil
    logView = LogView()
    stepTop = nil
    foundStep = nil
  }

  /// Ends the replay where another screen is shown than one of its job; asks for what it needs.
  mutating func settleReplay() -> [Intent] {
    guard let job = replay?.job else { return [] }
    guard screen.job == job else {
      endReplay()
      returnScreens = []
      return []
    }
    guard link.isLive, let start = replay?.askForLog() else { return [] }
    return [.fetchRecordedLog(job, from: start)]
  }

  // MARK: Keys

  /// Does what an action of a replay says; false for any other action.
  mutating func performInReplay(_ action: Action.ID) -> Bool {
    guard replay != nil else { return false }
    switch action {
    case .replayPlay: replay?.turnPlaying(at: time.here)
    case .replayBackward: replay?.go(by: -1)
    case .replayForward: replay?.go(by: 1)
    case .replayPrevious: replay?.goToPreviousMark()
    case .replayNext: replay?.goToNextMark()
    case .replaySlower: replay?.changeSpeed(faster: false)
    case .replayFaster: replay?.changeSpeed(faster: true)
    case .replayStart: if let begin = replay?.recording.begin { replay?.go(to: begin) }
    case .replayEnd: if let end = replay?.recording.end { replay?.go(to: end) }
    case .leaveReplay: leaveReplay()
    default: return false
    }
    searchReplayLog()
    return true
  }

  /// Brings the replay to the present time here.
  mutating func advanceReplay() {
    guard replay?.isPlaying ?? false, let here = time.here else { return }
    replay?.take(here)
    searchReplayLog()
  }

  /// Looks again for what is looked for: the log is another one.
  private mutating func searchReplayLog() {
    guard replay != nil, !logView.needle.isEmpty else { return }
    let words = logView.needle
    logView.look(for: "", in: shownLog)
    logView.look(for: words, in: shownLog)
  }
}

extension MonitorState {
  /// Tells what is said of live jobs from what is replayed.
  mutating func noteMeanwhile(_ before: Message?) {
    guard replay != nil, let said = message, said != before else { return }
    let word = "meanwhile: "
    if !said.text.hasPrefix(word) { message?.text = word + said.text }
  }
}

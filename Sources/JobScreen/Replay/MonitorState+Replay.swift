package import InstallJobs

extension MonitorState {
  /// The screen by whose keys actions are done: a replay has its own, whichever page is shown.
  var keyScreen: Screen.Kind { replay == nil ? screen.kind : .replay }

  /// The job whose replay is shown; nil where all is live.
  package var replayed: JobID? { replay?.job }

  /// The log that is shown.
  var shownLog: LogTail { replay?.log ?? held?.log ?? log }

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

  /// Asks for the recording of a job; one that is on its way is not waited for any more.
  mutating func askForReplay(of id: JobID, speed: Int = 1) -> [Intent] {
    recordingsAsked += 1
    let request = RecordingRequest(id, number: recordingsAsked)
    arrivingRecording = ArrivingRecording(request, from: screens, speed: speed)
    say("reading the recording of job \(id)")
    return [.fetchRecording(request)]
  }

  /// Takes what is told about a replay.
  mutating func apply(_ news: ReplayNews) -> [Intent] {
    switch news {
    case .wanted(let id, let speed): return askForReplay(of: id, speed: speed)
    case .begin(let request, let job, let length):
      guard arrivingRecording?.request == request, job.id == request.job else { break }
      arrivingRecording?.begin(job, logLength: length)
    case .events(let request, let events, let leftOut):
      guard arrivingRecording?.request == request else { break }
      arrivingRecording?.append(events, leftOut: leftOut)
      let count = arrivingRecording?.events.count ?? 0
      say("reading the recording of job \(request.job): \(Figures.count(count, "event"))")
    case .end(let request, let isCut):
      guard arrivingRecording?.request == request else { break }
      arrivingRecording?.end(isCut: isCut)
      openRecording()
    case .failed(let request, let error):
      guard arrivingRecording?.request == request else { break }
      arrivingRecording = nil
      message = Message(text: "replay: \(error.description)", isAlert: true)
    case .log(let request, let asked, let offset, let text):
      guard replay?.recording.request == request else { break }
      replay?.apply(logFrom: asked, offset: offset, text: text)
      searchReplayLog()
    case .noLog(let request, let error):
      guard replay?.recording.request == request else { break }
      replay?.applyLogFailure(error)
      message = Message(text: "the log: \(error.description)", isAlert: true)
    }
    return []
  }

  private mutating func openRecording() {
    guard let arrived = arrivingRecording, let job = arrived.job else { return }
    let id = job.id
    arrivingRecording = nil
    guard let recording = Recording(arrived) else {
      let reason =
        arrived.leftOut > 0
        ? "none of the \(Figures.count(arrived.leftOut, "event")) of job \(id) could be read"
        : "the journal has no events of job \(id)"
      let text = "replay: \(reason), so nothing can be shown again"
      message = Message(text: text, isAlert: true)
      return
    }
    // What was typed meanwhile was meant for something else.
    guard dialogue == nil, prompt == nil, sortMenu == nil, help == nil
    else {
      say("the replay of job \(id) is not opened: another screen is")
      return
    }
    book.addPast([job])
    let page: Screen = screen.job == id ? screen : .job(id)
    returnScreens = screens
    screens = [list == .history ? .history : .queue, page]
    let gaps = recording.gaps(timeOffset: timeOffset)
    let note = (["bars between two stages were not recorded"] + gaps).joined(separator: "; ")
    replay = Replay(recording, speed: arrived.speed, at: time.here, note: note)
    // It stands above the time line; what was said on the way is over.
    spoken = nil
    logView = LogView()
    stepTop = nil
    foundStep = nil
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
  mutating func updateReplay() -> [Intent] {
    let dropped = dropRecordingLeft()
    guard let request = replay?.recording.request else { return dropped }
    guard screen.job == request.job else {
      endReplay()
      returnScreens = []
      return dropped
    }
    guard link.isLive, let start = replay?.askForLog() else { return dropped }
    return dropped + [.fetchRecordedLog(request, from: start)]
  }

  /// Reads no recording on that was asked for on a screen that was left since.
  private mutating func dropRecordingLeft() -> [Intent] {
    guard let arrived = arrivingRecording, arrived.screens != screens else { return [] }
    arrivingRecording = nil
    say("the replay of job \(arrived.request.job) is not opened: another screen is")
    return [.dropRecording(arrived.request)]
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
    replay?.advance(to: here)
    searchReplayLog()
  }

  /// Looks again for what is looked for: the log is another one.
  private mutating func searchReplayLog() {
    guard replay != nil, !logView.needle.isEmpty else { return }
    let words = logView.needle
    logView.search(for: "", in: shownLog)
    logView.search(for: words, in: shownLog)
  }
}

extension MonitorState {
  /// Tells what is said of live jobs from what is replayed.
  mutating func noteMeanwhile(_ before: (spoken: Message?, failure: Message?)) {
    guard replay != nil else { return }
    let word = "meanwhile: "
    if let said = spoken, said != before.spoken, !said.text.hasPrefix(word) {
      spoken?.text = word + said.text
    }
    if let said = failureNews, said != before.failure, !said.text.hasPrefix(word) {
      failureNews?.text = word + said.text
    }
  }
}

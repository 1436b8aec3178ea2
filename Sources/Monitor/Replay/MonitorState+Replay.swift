import Canvas
package import InstallJobs
import JobText

extension MonitorState {
  /// The screen whose keys apply; a replay has its own keys on every page.
  var keyScreen: Screen.Kind { replay == nil ? screen.kind : .replay }

  /// The job whose replay is shown; nil outside a replay.
  package var replayed: JobID? { replay?.job }

  /// The log that is shown.
  var shownLog: LogTail { replay?.log ?? pausedDisplay?.log ?? log }

  /// The shown animation step; in a replay, computed from its moment.
  var shownPulse: Int {
    guard let replay else { return pulse }
    return preferences.hasPulse ? Int((replay.elapsed * 4).bounded(to: 0...1e9)) : 0
  }

  /// Why no job can be changed during a replay; nil outside a replay.
  var replayRefusal: String? {
    replay.map { "a replay of job \($0.job) changes nothing: \(leavingKey) leaves it" }
  }

  /// The name of the key that leaves a replay.
  var leavingKey: String { actions.action(.leaveReplay)?.keys.first?.name ?? "1" }

  /// Why the selected job cannot be replayed; nil if it can.
  var noReplayRefusal: String? {
    guard let id = selected else { return "no job is selected" }
    if let job = book[id]?.job, !job.state.isFinal {
      return "job \(id) is not over yet"
    }
    return link.isLive ? nil : "not connected to the engine"
  }

  // MARK: Opening and leaving

  /// Requests the recording of a job; it replaces an earlier request.
  mutating func askForReplay(of id: JobID, speed: Int = 1) -> [Intent] {
    recordingsAsked += 1
    let request = RecordingRequest(id, number: recordingsAsked)
    arrivingRecording = ArrivingRecording(request, from: screens, speed: speed)
    say("reading the recording of job \(id)")
    return [.fetchRecording(request)]
  }

  /// Applies news about a replay.
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
    // With an open question or input line, the next key is not meant for a replay.
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
    // The progress messages are over, and would hide the note of the replay above the time line.
    lastMessage = nil
    logView = LogView()
    stepTop = nil
    foundStep = nil
  }

  /// Leaves the replay and returns to the live screens.
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

  /// Ends the replay if the screen does not show its job any more; requests the log that it needs.
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

  /// Cancels a requested recording if the user has left the screen of the request.
  private mutating func dropRecordingLeft() -> [Intent] {
    guard let arrived = arrivingRecording, arrived.screens != screens else { return [] }
    arrivingRecording = nil
    say("the replay of job \(arrived.request.job) is not opened: another screen is")
    return [.dropRecording(arrived.request)]
  }

  // MARK: Keys

  /// Performs a replay action; returns false for any other action.
  mutating func performInReplay(_ action: Action.ID) -> Bool {
    guard replay != nil else { return false }
    switch action {
    case .replayPlay: replay?.togglePlaying(at: time.here)
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

  /// Moves a playing replay forward to the present time here.
  mutating func advanceReplay() {
    guard replay?.isPlaying ?? false, let here = time.here else { return }
    replay?.advance(to: here)
    searchReplayLog()
  }

  /// Repeats the search, because the log of another moment is shown.
  private mutating func searchReplayLog() {
    guard replay != nil, !logView.needle.isEmpty else { return }
    let words = logView.needle
    logView.search(for: "", in: shownLog)
    logView.search(for: words, in: shownLog)
  }
}

extension MonitorState {
  /// Marks new messages about live jobs with "meanwhile: " during a replay.
  mutating func markMeanwhile(_ before: (spoken: Message?, failure: Message?)) {
    guard replay != nil else { return }
    let word = "meanwhile: "
    if let said = lastMessage, said != before.spoken, !said.text.hasPrefix(word) {
      lastMessage?.text = word + said.text
    }
    if let said = failureNews, said != before.failure, !said.text.hasPrefix(word) {
      failureNews?.text = word + said.text
    }
  }
}

import InstallJobs

// Job numbers are valid in one journal. An engine that starts a new journal gives the same numbers
// to other jobs, so everything known about the old jobs is dropped.
extension MonitorState {
  /// Applies the name of the engine's journal, which precedes its jobs.
  mutating func apply(journal epoch: String) {
    defer { self.epoch = epoch }
    guard let known = self.epoch, known != epoch else { return }
    book.beginAnew()
    (pausedStore, pausedAt, pausedDisplay) = (nil, nil, nil)
    (replay, arrivingRecording, returnScreens) = (nil, nil, [])
    screens = [screens.first ?? .queue]
    (queueCursor, historyCursor, past) = (ListCursor(), ListCursor(), PastJobs())
    (tags, namedJobs, jobToSelect, dialogue) = ([], nil, nil, nil)
    (pendingCommands, offeredWithdrawal, reportedOutcomes) = (PendingCommands(), nil, [])
    (shown, log, logView, isLogAwaited, isLogGapKept) = (nil, LogTail(), LogView(), false, false)
    (stepTop, foundStep, rates, ownMove) = (nil, nil, RateHistory(), nil)
    (changes, hasSnapshot, seq, queueNews) = (nil, false, 0, nil)
    (lastFailedJob, failureNews) = (nil, nil)
    message = Message(
      text: "the engine has another journal than before: these are its jobs, numbered anew",
      isAlert: true)
  }
}

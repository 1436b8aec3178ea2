import InstallJobs

// Jobs are known by their number in one journal. Another journal, of an engine that began anew,
// gives the same numbers to other jobs: nothing that was known may be said of those.
extension MonitorState {
  /// Takes note of the journal that the engine numbers its jobs in, before it tells of them.
  mutating func apply(journal epoch: String) {
    defer { self.epoch = epoch }
    guard let known = self.epoch, known != epoch else { return }
    book.beginAnew()
    (heldBook, heldAt, held) = (nil, nil, nil)
    (replay, arrivingRecording, returnScreens) = (nil, nil, [])
    screens = [screens.first ?? .queue]
    (queueCursor, historyCursor, past) = (ListCursor(), ListCursor(), PastJobs())
    (tags, named, wanted, dialogue) = ([], nil, nil, nil)
    (openAborts, ownAborts, offeredWithdrawal) = (OpenAborts(), [], nil)
    openOrders.forget()
    (cleanUps, cleanedAfterAbort, stopped, stoppedTold) = (nil, [], [:], [])
    (shown, log, logView, isLogAwaited, isLogGapKept) = (nil, LogTail(), LogView(), false, false)
    (stepTop, foundStep, rates, ownMove) = (nil, nil, RateHistory(), nil)
    (changes, hasHeardJobs, seq, queueNews) = (nil, false, 0, nil)
    (failed, failureNews) = (nil, nil)
    message = Message(
      text: "the engine has another journal than before: these are its jobs, numbered anew",
      isAlert: true)
  }
}

import Canvas
import InstallJobs
import JobText

extension MonitorState {
  /// Applies one event and returns the intents to perform, in order.
  ///
  /// After ``Intent/discardInput`` the caller drops the keys that it has already read: they were
  /// typed before the question was visible.
  package mutating func update(_ event: MonitorEvent) -> [Intent] {
    let event = advice.map { event.advised($0) } ?? event
    var intents: [Intent] = []
    let place = (list, cursor.selected)
    let wasReplay = replay != nil
    if event.isHeard { time.recordMessage() }
    defer {
      addCommands(of: intents, at: event)
      let isUncovered = wasReplay && replay == nil && place.0 == list
      noteAutomaticMove(from: place.1, at: event, isUncovered: isUncovered)
    }
    switch event {
    case .key(let key): intents = handle(key)
    case .paste(let text): paste(text)
    case .line: break
    case .mouse(let mouse): intents = handle(mouse)
    case .clock(let time):
      self.time.apply(time)
      advanceReplay()
      reportMissingAnswers()
      if let changes, time >= changes.until { self.changes = nil }
    case .planned(let request, let plan): intents = apply(plan: plan, of: request)
    case .refused(let request, let error): apply(refusal: error, of: request)
    case .submitted(let job, let request): intents = apply(submitted: job, of: request)
    case .past(let jobs, let isWhole): apply(past: jobs, isWhole: isWhole)
    case .upgradable(let updates): draft.setCandidates(updates)
    case .resize(let size): self.size = size
    case .journal(let epoch): apply(journal: epoch)
    case .snapshotBegin:
      arriving = [:]
      queueNews = nil
      time.dropEngineTime()
    case .snapshot(let jobs): apply(jobs)
    case .snapshotEnd(let seq): intents = endSnapshot(seq)
    case .event(let event):
      let before = (lastMessage, failureNews)
      intents = apply(event)
      markMeanwhile(before)
    case .replay(let news): intents = apply(news)
    case .ticks(let events): for event in events { intents += apply(event) }
    case .plan(let id, let plan):
      if id == shown {
        book.setPlan(plan, of: id)
        pausedStore?.setPlan(plan, of: id)
      }
    case .logChunk(let id, let offset, let text):
      if id == shown { applyLog(offset, text) }
    case .abortAnswer(let id, let disposition): answer(id, disposition)
    case .yieldAnswer(let holder): apply(yieldBy: holder)
    case .answered(let command): apply(answered: command)
    case .failed(let error, let job, let command): intents = fail(error, job, command)
    case .unread(let error, let job):
      if job == shown { isLogAwaited = false }
      message = Message(text: error.description, isAlert: true)
    case .link(let state): apply(state)
    case .readOnly(let reason): readOnlyReason = reason
    case .notice(let text, let isAlert): message = Message(text: text, isAlert: isAlert)
    case .engine(let status):
      apply(status)
      if let now = status.time { time.apply(answer: now) }
    case .tick: pulse = (pulse + 1) % 1_000_000
    }
    if link.isLive, let now = time.engine { book.advance(to: now) }
    // This freezes the rows after a manual move only; the selection that follows the work moves
    // later.
    if place.0 == list, place.1 != cursor.selected, place.1 != nil { freezeOrder() }
    intents += updateReplay()
    intents += finishUpdate()
    forgetPast()
    return intents + [askForPast(isByHand: event.isInput)].compactMap(\.self)
  }

  private mutating func apply(_ jobs: [JobSnapshot]) {
    for var job in jobs {
      // The reason that keeps the whole queue is shown once, in the title, not in every row.
      if job.waitingFor?.cause != nil { job.waitingFor = nil }
      arriving?[job.id] = JobStore.Entry(job: job.withoutPlan)
    }
  }

  private mutating func endSnapshot(_ seq: Int) -> [Intent] {
    guard let jobs = arriving else { return [] }
    defer {
      removeResolvedFailure()
      lastFailedJob = lastFailedJob.flatMap { book[$0] == nil ? nil : $0 }
    }
    // The local constant is now the only owner, so that `consume` avoids a copy.
    arriving = nil
    self.seq = seq
    link = .live
    changes = hasSnapshot ? ChangedRows(book.changed(in: jobs), at: time.here) : nil
    hasSnapshot = true
    book.replaceAll(with: consume jobs, keepingPlanOf: shown)
    past = PastJobs()
    removeHiddenTags()
    refreshQuestion()
    let late = reconnectCommands()
    guard let shown, book[shown] != nil else { return late }
    return late + fetch(shown)
  }

  private mutating func apply(_ event: JobEvent) -> [Intent] {
    seq = max(seq, event.seq)
    time.applyEngineTime(event.at)
    renewAges()
    if case .engine(let notice) = event.payload {
      if notice.kind == .stopping {
        lastMessage = Message(text: notice.message, isAlert: true, isParting: true)
      } else if let command = pendingCommands.first(where: { notice.answers($0) }) {
        _ = pendingCommands.finish(command, at: time.here)
        showAnswer(notice.message)
      } else {
        showNews(notice.message)
      }
      apply(notice, seq: event.seq)
      return []
    }
    guard let id = event.job else { return [] }
    if case .log(let offset, let text) = event.payload, id == shown {
      return followLog(id, offset, text)
    }
    book.apply(event)
    removeResolvedFailure()
    finishAbort(of: id)
    if tags.contains(id), listBook.index(of: id, in: list) == nil { tags.remove(id) }
    switch event.payload {
    case .abortWithdrawn, .completed: pendingCommands.endAbort(of: id)
    default: break
    }
    if case .progress = event.payload { rates.record(book.tally.bytesPerSecond, at: event.at) }
    if case .abort(var question, let focus) = dialogue, question.consequences[id] != nil,
      let job = book[id]?.job
    {
      // Removed first, so that a long list is changed in place and not copied.
      dialogue = nil
      question.refresh(job)
      dialogue = .abort(question, focus: focus)
    }
    return notify(event, of: id)
  }

  /// Applies a requested piece of the log.
  private mutating func applyLog(_ offset: Int64, _ text: String) {
    let end = log.end
    log.append(offset: offset, text: text)
    if let shown { storePausedLog(of: shown) }
    if pausedDisplay == nil { logView.search(log) }
    isLogAwaited = false
    isLogGapKept = log.end == end
  }

  /// Applies a live piece of the log; returns a request for the missing part if there is a gap.
  private mutating func followLog(_ id: JobID, _ offset: Int64, _ text: String) -> [Intent] {
    guard !isLogAwaited else { return [] }
    if let end = log.end, offset > end, !isLogGapKept {
      isLogAwaited = true
      return [.fetchLog(id, from: end)]
    }
    isLogGapKept = false
    log.append(offset: offset, text: text)
    if pausedDisplay == nil { logView.search(log) }
    return []
  }

  private mutating func notify(_ event: JobEvent, of id: JobID) -> [Intent] {
    switch event.payload {
    case .abortRequested(let record):
      guard let job = book[id]?.job else { return [] }
      showNews(
        "abort of \(id) by \(record.requestedBy.user): \(record.disposition.sentence(for: job))",
        of: id)
    case .abortWithdrawn(let who):
      let text = "the abort of \(id) was cancelled by \(who.user)"
      let said = cancelCleanUp(of: id, behind: text)
      if pendingCommands.finish(.cancelAbort(id), at: time.here) != nil {
        showAnswer(said, of: id)
      } else if said == text {
        showNews(text, of: id)
      } else {
        warn(said)
      }
    case .completed:
      guard let job = book[id]?.job, let ending = JobEnding(job) else { return [] }
      let bell = job.isProblem ? reportFailure(job, ending) : []
      if !job.isProblem { showNews("job \(id) \(ending.sentence)", of: id) }
      return bell + cleanUpStopped(job)
    case .cleanedUp:
      tags.remove(id)
      reportCleanUp(of: id)
    case .state(let change):
      guard let priority = change.priority, let who = change.movedBy else { return [] }
      showMove(of: id, priority: priority, by: who)
    case .submitted, .progress, .update, .verifiedAfterReboot, .log, .engine: break
    }
    return []
  }

  private mutating func answer(_ id: JobID, _ disposition: AbortDisposition) {
    book.change(id) { $0.isAbortAsked = false }
    finishAbort(of: id)
    guard let job = book[id]?.job else { return }
    if case .refused = disposition {
      let text = cancelCleanUp(of: id, behind: "job \(id) \(disposition.sentence(for: job))")
      showAnswer(text, of: id, isAlert: true)
    } else {
      showAnswer("job \(id) \(disposition.sentence(for: job))", of: id)
    }
  }

  private mutating func fail(
    _ error: InstallationError, _ job: JobID?, _ command: EngineCommand?
  ) -> [Intent] {
    var text = error.description
    if let job {
      let isCleanUp = command == .cleanUp(job)
      if isCleanUp, pendingCommands.isCleanUpOfSeveral(job) {
        _ = pendingCommands.finish(.cleanUp(job), at: time.here)
        book.change(job) { $0.isCleaning = false }
        report(pendingCommands.updateCleanUps { $0.fail(job, error.description) })
        return []
      }
      // After the abort was answered, the error is about another request. If the answer was lost
      // with the connection, the next snapshot tells whether the abort was accepted.
      if book[job]?.isAbortAsked ?? true, error.code != .engineUnreachable {
        text = cancelCleanUp(of: job, behind: text)
      }
      book.change(job) {
        $0.isAbortAsked = false
        if isCleanUp { $0.isCleaning = false }
      }
      finishAbort(of: job)
    }
    if let command, text == error.description {
      apply(failure: error, of: command)
    } else {
      if let command { _ = pendingCommands.finish(command, at: time.here) }
      showAnswer(text, of: job, isAlert: true)
    }
    return []
  }

  private mutating func apply(_ state: LinkState) {
    switch state {
    case .lost, .refused:
      arriving = nil
      draft.dropPendingRequest()
      if link.isConnected { dropStaleMessage() }
    case .stale: if link.isLive, pendingCommands.groups.isEmpty { dropStaleMessage() }
    case .connecting, .live: break
    }
    if state.isLive { replay?.forgetLogFailure() }
    link = state
  }

  private mutating func paste(_ text: String) {
    if prompt == nil, screen == .compose, help == nil {
      draft.paste(text)
      return
    }
    guard help?.prompt == nil else {
      help?.prompt?.insert(text)
      return
    }
    guard prompt != nil else {
      lastMessage = Message(
        text: "pasted text is not taken here: it never runs as keys", isAlert: true)
      return
    }
    prompt?.insert(text)
    applyPrompt()
  }

  mutating func say(_ text: String) { lastMessage = Message(text: text) }

  /// Aligns the selection, the shown job and its plan with the current jobs.
  private mutating func finishUpdate() -> [Intent] {
    let rows = FrameLayout(self, size: size).list.size.rows
    // During a replay the list is hidden: its selection stays until the list is shown again.
    let hasList = replay == nil
    if hasList, isFollowing, !isDisplayPaused, dialogue == nil, list == .queue,
      let first = book.firstAtWork
    {
      queueCursor.select(first, in: listBook, .queue, listRows, rows: rows)
    }
    if hasList, let id = jobToSelect, list == .queue, listBook[id] != nil {
      queueCursor.select(id, in: listBook, .queue, listRows, rows: rows)
      jobToSelect = nil
    }
    updateOrderFreeze()
    let kind = list
    let scope = TagScope(list: kind, filter: book.filter.text)
    if prompt == nil, scope != tagScope {
      removeHiddenTags()
      tagScope = scope
      updateOrderFreeze()
    }
    if hasList {
      var moved = cursor
      moved.adjust(in: listBook, kind, listRows, rows: rows)
      cursor = moved
    }
    guard let now = selected, now != shown else {
      if selected == nil { shown = nil }
      return []
    }
    if let shown { book.setPlan(nil, of: shown) }
    shown = now
    log = LogTail(job: now)
    storePausedLog(of: now)
    logView = LogView()
    isLogAwaited = false
    isLogGapKept = false
    stepTop = nil
    foundStep = nil
    return link.isLive ? fetch(now) : []
  }

  private mutating func fetch(_ id: JobID) -> [Intent] {
    isLogAwaited = true
    let from = log.job == id ? log.end : nil
    return [.fetchPlan(id), .fetchLog(id, from: from)]
  }

  private mutating func refreshQuestion() {
    guard case .abort(let question, let focus) = dialogue else { return }
    let jobs = question.ids.compactMap { book[$0]?.job }
    var new = AbortQuestion(jobs)
    new.cleansUp = question.cleansUp
    dialogue = jobs.isEmpty ? nil : .abort(new, focus: focus)
  }
}

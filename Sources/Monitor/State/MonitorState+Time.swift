package import InstallJobs
import JobText

extension MonitorState {
  /// The time here at which the screen changes without an event; nil if there is none.
  ///
  /// The caller sends ``MonitorEvent/clock(_:)`` then, and needs no other timer. The moment comes
  /// once a second while an abort requested here is unanswered, a job at work is overdue or elapsed
  /// work time is shown. It also comes when underlines or the frozen row order end, an answer
  /// becomes overdue, a scheduled job becomes due, or a replay moves on.
  package var nextMoment: Timestamp? {
    guard let here = time.here else { return nil }
    return [
      // All counters of seconds share one rhythm, so that one redraw serves all of them.
      pendingCommands.nextAbortAge(after: here) ?? nextFigure, changes?.until,
      tags.isEmpty && book.isBehind(list) ? orderFrozenUntil : nil,
      replay?.nextMoment(after: here), pendingCommands.nextTimeout, nextStart,
    ].compactMap(\.self).min()
  }

  /// Seconds for which no row moves after the user moved the selection.
  static let orderFreezeSeconds = 2.0

  /// Freezes the row order for ``orderFreezeSeconds`` seconds.
  mutating func freezeOrder() {
    orderFrozenUntil = time.here?.advanced(bySeconds: Self.orderFreezeSeconds)
  }

  /// Freezes the row order for a while after the selection was moved, and as long as jobs are
  /// tagged.
  ///
  /// The next key is meant for the row that the user saw.
  mutating func updateOrderFreeze() {
    if let until = orderFrozenUntil, time.here ?? until >= until { orderFrozenUntil = nil }
    if orderFrozenUntil != nil || !tags.isEmpty { book.freezeOrder() } else { book.unfreezeOrder() }
  }

  /// Whether a job's row is underlined because the job changed while the engine was away.
  func isUnderlined(_ job: JobID) -> Bool {
    !isDisplayPaused && changes?.jobs.contains(job) ?? false
  }

  /// The time, by the engine's clock, at which figures of jobs are judged overdue.
  ///
  /// During a replay, it is the shown moment; while the display is paused, the time of the pause.
  /// Nil while the connection is not live.
  var figuresTime: Timestamp? {
    if let replay { return replay.moment }
    if isDisplayPaused { return pausedAt }
    return link.isLive ? time.engine : nil
  }

  /// Notes that the data on the screen is stale, longest first.
  ///
  /// They say that jobs continue and how old the data is. Empty while the connection is live, and
  /// before the first snapshot.
  var outdatedNotes: [String] {
    guard hasSnapshot, !link.isLive else { return [] }
    let cause: String
    switch link {
    case .live: return []
    case .stale: cause = "the engine is silent, jobs may go on"
    case .connecting, .lost, .refused: cause = "no engine is heard, jobs go on without it"
    }
    guard let last = time.lastHeard else { return [cause, "jobs go on"] }
    let moment = "as of \(Figures.time(last, offset: timeOffset))"
    let age = time.here.map { Figures.duration(max(0, $0.seconds(since: last))) }
    return [
      "\(cause): shown is \(moment)" + (age.map { ", \($0) ago" } ?? ""),
      "jobs go on, \(moment)", moment,
    ]
  }

  /// The forecast for waiting jobs; nil while the connection is not live or the queue is paused, or
  /// if the end of the job at work is unknown.
  private func forecast(behind first: JobSnapshot?) -> QueueForecast? {
    guard link.isLive, engine?.queue.pause == nil else { return nil }
    return shownBook.forecast(
      behind: first, at: figuresTime, fetchesAhead: engine?.queue.fetchesAhead ?? false)
  }

  /// Time until all pending work ends, for display; nil if unknown.
  var overallEta: String? {
    let book = shownBook
    let forecast = replay == nil ? forecast(behind: book.jobAtWork) : nil
    guard let seconds = book.overallEta(at: figuresTime, by: forecast) else { return nil }
    // An estimate over several queued jobs is not exact to the second.
    return book.tally[.queued] > 0 ? "~" + Figures.forecast(seconds) : Figures.duration(seconds)
  }

  /// The sentences about a job, with what the monitor itself knows about it.
  func words(of entry: JobStore.Entry) -> JobWords {
    let book = shownBook
    var words = JobWords(entry: entry, queuePlace: book.queuePlace(of: entry.job))
    words.ownWait = book.ownWait(of: entry.job)
    words.promise = book.promise(of: entry.job.id)
    words.time = figuresTime
    words.times = nil
    // A replay shows the past: the state of the connection and the queue do not matter.
    guard replay == nil else {
      words.queuePlace = nil
      words.isPast = true
      return words
    }
    words.isOutdated = !link.isLive
    words.knownAt = time.lastHeard
    words.queuePause = engine?.queue.pause
    if entry.job.state == .queued {
      let first = book.jobAtWork
      words.atWork = first?.id
      words.times = forecast(behind: first).flatMap { book.times(of: entry.job, by: $0) }
    }
    if entry.isAbortAsked {
      words.abortAge = pendingCommands.abortAge(of: entry.job.id, at: time.here)
    }
    return words
  }

  /// Drops the request time of an abort that is answered or withdrawn.
  mutating func finishAbort(of id: JobID) {
    guard !pendingCommands.areAbortsAnswered, !(book[id]?.isAbortAsked ?? false) else { return }
    pendingCommands.finishAbort(of: id)
  }

  /// The time here at which a figure that depends on the engine's clock changes.
  ///
  /// Elapsed time, which changes every second, sets the rhythm; late figures are redrawn with it.
  private var nextFigure: Timestamp? {
    guard link.isLive, !isDisplayPaused, let now = time.engine else { return nil }
    return (nextElapsed(after: now) ?? nextLateness(after: now)).flatMap { time.here(at: $0) }
  }

  /// The time here at which the next scheduled job becomes due.
  private var nextStart: Timestamp? {
    guard link.isLive, !isDisplayPaused, replay == nil else { return nil }
    return book.nextStart.flatMap { time.here(at: $0) }
  }

  /// The time, by the engine's clock, at which the shown elapsed time grows by a second: of the job
  /// on the job screen, or of the selected job's package if its progress is unknown.
  private func nextElapsed(after now: Timestamp) -> Timestamp? {
    guard let shown, let entry = book[shown], !entry.job.state.isFinal else { return nil }
    var begin: Timestamp?
    if screen.kind == .job {
      begin = entry.job.startedAt
    } else if screen.isList, let overdue = entry.job.overdue, !entry.job.isStalled {
      begin = overdue.since
    } else if screen.isList, entry.hasUnknownProgress, let work = JobWords(entry: entry).current {
      begin = work.phaseTimes[work.phase]
    }
    return begin.map { begin in
      let age = now.seconds(since: begin).bounded(to: 0...1e9).rounded(.down)
      return begin.advanced(bySeconds: age + 1)
    }
  }

  /// When one of the first 16 jobs at work becomes late, or is late by one more second.
  ///
  /// All late jobs share the rhythm of the one that is late longest. Later jobs are redrawn with
  /// the next event: the number of wake-ups must not grow with the queue.
  private func nextLateness(after now: Timestamp) -> Timestamp? {
    let ends = book.promisesAtWork(most: 16).min { $0.end < $1.end }
    var moments = [ends?.nextLateness(after: now)]
    moments += book.stopsAtWork(most: 16).map { $0.nextChange(after: now) }
    if let job = shown.flatMap({ book[$0]?.job }), !job.isStopping {
      moments.append(StopPromise(job)?.nextChange(after: now))
    }
    return moments.compactMap(\.self).min()
  }
}

package import InstallJobs

extension MonitorState {
  /// The time here at which the screen changes though nothing happens; nil while there is none.
  ///
  /// Whoever runs the monitor tells ``MonitorEvent/clock(_:)`` then, and wakes for nothing else. It
  /// is once a second while an abort asked for here is not answered, a job at work is overdue or
  /// the time that work has taken so far is shown, and once at the end of what is shown or held for
  /// a while and when the time of a job comes that waits for it.
  package var nextMoment: Timestamp? {
    guard let here = time.here else { return nil }
    return [
      // What counts seconds counts them together: one renewal serves all of it.
      openAborts.nextChange(after: here) ?? nextFigure, changes?.until,
      tags.isEmpty && book.isBehind(list) ? orderHeldUntil : nil,
      replay?.nextMoment(after: here), openOrders.nextSilence, nextStart,
    ].compactMap(\.self).min()
  }

  /// Seconds for which no row moves after the selection was moved.
  static let holding = 2.0

  /// Lets no row move for a while.
  mutating func startHolding() {
    orderHeldUntil = time.here?.advanced(bySeconds: Self.holding)
  }

  /// Holds the order of the rows for a while after the selection was moved, and as long as jobs are
  /// tagged: what is pressed next is meant for the row that was seen there.
  mutating func holdOrder() {
    if let until = orderHeldUntil, time.here ?? until >= until { orderHeldUntil = nil }
    if orderHeldUntil != nil || !tags.isEmpty { book.holdOrder() } else { book.releaseOrder() }
  }

  /// Whether a job's row is underlined: it became otherwise while the engine was away.
  func isUnderlined(_ job: JobID) -> Bool { !isHeld && changes?.jobs.contains(job) ?? false }

  /// The time by which figures of jobs are overdue: it stands still while the display is held, and
  /// nothing is known of it while the engine is not heard.
  var figuresTime: Timestamp? {
    if let replay { return replay.moment }
    if isHeld { return heldAt }
    return link.isLive ? time.engine : nil
  }

  /// What holds of the whole screen while the engine is not heard, longest first.
  ///
  /// That jobs go on, and how old the picture is; nothing while it is heard, and before anything was
  /// told.
  var outdatedNotes: [String] {
    guard hasHeardJobs, !link.isLive else { return [] }
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

  /// What the times of jobs that wait are told by; nil where nobody knows when the next one begins.
  private func forecast(behind first: JobSnapshot?) -> QueueForecast? {
    guard link.isLive, engine?.queue.pause == nil else { return nil }
    return shownBook.forecast(
      behind: first, at: figuresTime, fetchesAhead: engine?.queue.fetchesAhead ?? false)
  }

  /// In how long all is over that has to run; nil where that is not known.
  var overallEta: String? {
    let book = shownBook
    let forecast = replay == nil ? forecast(behind: book.jobAtWork) : nil
    guard let seconds = book.overallEta(at: figuresTime, by: forecast) else { return nil }
    // What hangs on many jobs is not known to the second.
    return book.tally[.queued] > 0 ? "~" + Figures.foreseen(seconds) : Figures.duration(seconds)
  }

  /// What is said about a job, with what the monitor itself knows of it.
  func words(of entry: JobStore.Entry) -> JobWords {
    let book = shownBook
    var words = JobWords(entry: entry, queuePlace: book.queuePlace(of: entry.job))
    words.ownWait = book.ownWait(of: entry.job)
    words.promise = book.promise(of: entry.job.id)
    words.time = figuresTime
    words.times = nil
    // What a replay shows is past, whatever is heard now; nobody waited for anything in it.
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
    if entry.isAbortAsked { words.abortAge = openAborts.age(of: entry.job.id, at: time.here) }
    return words
  }

  /// Forgets when an abort was asked for that is not open any more.
  mutating func finishAbort(of id: JobID) {
    guard !openAborts.isEmpty, !(book[id]?.isAbortAsked ?? false) else { return }
    openAborts.close(id)
  }

  /// When a time that is counted by the engine's clock says something else: what goes on every
  /// second has the rhythm, and what is late is renewed in it.
  private var nextFigure: Timestamp? {
    guard link.isLive, !isHeld, let now = time.engine else { return nil }
    return (nextElapsed(after: now) ?? nextLateness(after: now)).flatMap { time.here(at: $0) }
  }

  /// When the next job that waits for its time waits for its turn.
  private var nextStart: Timestamp? {
    guard link.isLive, !isHeld, replay == nil else { return nil }
    return book.nextStart.flatMap { time.here(at: $0) }
  }

  /// When the job on the screen, or the package of the selected one whose progress nobody can
  /// know, has been at work for another second.
  private func nextElapsed(after now: Timestamp) -> Timestamp? {
    guard let shown, let entry = book[shown], !entry.job.state.isFinal else { return nil }
    var begin: Timestamp?
    if screen.kind == .job {
      begin = entry.job.startedAt
    } else if screen.isList, let overdue = entry.job.overdue, !entry.job.isStalled {
      begin = overdue.since
    } else if screen.isList, entry.isUnknowable, let work = JobWords(entry: entry).current {
      begin = work.phaseTimes[work.phase]
    }
    return begin.map { begin in
      let age = now.seconds(since: begin).bounded(to: 0...1e9).rounded(.down)
      return begin.advanced(bySeconds: age + 1)
    }
  }

  /// When the next of the first jobs at work becomes late, or those that are late are later by a
  /// second: all in the rhythm of the one that is late for longest.
  ///
  /// Those beyond the first few are renewed along with what else moves: what is woken for must not
  /// grow with the queue.
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

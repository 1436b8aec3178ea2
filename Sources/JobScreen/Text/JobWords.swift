import InstallJobs

/// The monitor's words about a job: single words and single lines, the same in every place.
///
/// The texts are not sanitised and may hold control characters from packages and clients. Drawing
/// sanitises them; plain output must do so itself.
struct JobWords: Sendable {
  let entry: JobStore.Entry
  /// Queue position, from 1.
  var queuePlace: Int?
  /// The time or the other job for which this job waits by its own options.
  var ownWait: StartCondition?
  /// The expected end of a running job.
  var promise: JobPromise?
  /// The forecast start and end of a queued job.
  var times: QueueForecast.Times?
  /// The time by the engine's clock; nil if it is unknown, and where no time counts up.
  var time: Timestamp?
  /// Seconds since this monitor requested an abort that the engine has not answered.
  var abortAge: Int?
  /// Whether the engine is not connected: the last known state may be out of date.
  var isOutdated = false
  /// Whether the words are about a moment in the past, as in a replay.
  var isPast = false
  /// When the engine was last heard from, by the local clock.
  var knownAt: Timestamp?
  /// The running job.
  var atWork: JobID?
  /// Why no further job begins; nil if the queue is not paused, or each job names the reason
  /// itself.
  var queuePause: QueuePause?
  /// The current time, to print ages in place of times of day; for output that is printed once.
  var now: Timestamp?

  /// The words from the job's snapshot alone.
  init(entry: JobStore.Entry, queuePlace: Int? = nil) {
    self.entry = entry
    self.queuePlace = queuePlace
    promise = JobPromise(entry.job)
    times = QueueForecast.Times(entry.job)
    ownWait = entry.job.isPaused ? nil : entry.job.startCondition
  }

  private var job: JobSnapshot { entry.job }

  /// The packages: `hello 2.10-3`, `remove nginx`, `upgrade (34 packages)`.
  var packages: String {
    let asked = job.updates
    var text = asked.isEmpty ? String(job.operationPrefix.dropLast()) : job.operationPrefix
    if let first = asked.first {
      text += first.name
      if asked.count == 1, job.operation != .remove, job.operation != .purge,
        let version = first.planned.toVersion
      {
        text += " " + version
      }
    }
    // The number counts every package of the plan, dependencies included.
    if job.planCount > 1 || asked.count > 1 {
      text += " (\(Figures.count(job.planCount, "package")))"
    }
    return text.isEmpty ? "nothing" : text
  }

  /// The requested packages, and the number of packages in the plan: `hello 2.10-3`, `app, 2
  /// packages in all`, `ripgrep and 17 more (2 need nothing), 16 packages in all`, `upgrade app and
  /// 1 more (1 stays: it is held at 1.0)`.
  var requestedPackages: String {
    let count = job.updates.count
    guard let first = job.updates.first else {
      let all = job.planCount > 0 ? Figures.count(job.planCount, "package") : "nothing"
      return job.operationPrefix + all
    }
    var text = job.operationPrefix + first.name
    if count > 1 {
      text += " and \(count - 1) more"
    } else if job.operation.kind == .installation, let version = first.planned.toVersion {
      text += " " + version
    }
    let isWithoutStep = zip(job.updates, job.updateSteps).filter { $1 == nil }.map(\.0)
    let kept = isWithoutStep.compactMap(\.planned.keptBack)
    let idle = isWithoutStep.count - kept.count
    if idle == count {
      text += count == 1 ? ", needs nothing" : ", none needs anything"
    } else if kept.count == count {
      text += ", " + Self.keptBackReason(kept)
    } else if idle + kept.count > 0 {
      let needs = idle == 1 ? "needs" : "need"
      let remarks =
        (idle > 0 ? ["\(idle) \(needs) nothing"] : [])
        + (kept.isEmpty ? [] : ["\(kept.count) " + Self.keptBackReason(kept)])
      text += " (\(remarks.joined(separator: ", ")))"
    }
    guard idle + kept.count < count else {
      // A half-done package of an earlier job is mended with the next job, whatever its packages.
      if job.planCount > 0 { text += "; mends \(Figures.count(job.planCount, "package"))" }
      return text
    }
    // The total is left out if it equals the number of requested packages.
    return job.planCount == count
      ? text : text + ", \(Figures.count(job.planCount, "package")) in all"
  }

  /// `stays: it is held at 1.0`, `stay as they are`.
  private static func keptBackReason(_ reasons: [String]) -> String {
    guard reasons.count == 1 else { return "stay as they are" }
    return reasons[0].count <= 60 ? "stays: \(reasons[0])" : "stays as it is"
  }

  /// The first requested package and the number of other planned ones, for narrow columns: `libc6 +4`.
  ///
  /// The operation is left out, because the name distinguishes more jobs.
  var shortPackages: String {
    guard let first = job.updates.first else { return packages }
    return first.name + (job.planCount > 1 ? " +\(job.planCount - 1)" : "")
  }

  /// The packages with the operation in front, for narrow places: `upgrade libc6 +4`.
  ///
  /// An installation, the default, is not named.
  var operationAndPackages: String { job.operationPrefix + shortPackages }

  /// The state in about twelve letters at most: `unpack`, `queued #2`, `wait lock`.
  ///
  /// An unanswered abort takes more: `not acknowledged 7s`.
  var phase: String {
    if let age = abortAge, age > 0 {
      return (isUnacknowledged ? "not acknowledged " : "abort asked ")
        + Figures.duration(Double(age))
    }
    return switch entry.mark {
    case .held: "held"
    case .queued: queued
    case .waiting: "wait lock"
    case .running: running
    case .asking: "needs answer"
    case .abortAsked: "abort asked"
    case .stopping: "stopping"
    case .aborted: "aborted"
    case .cleaning: "cleaning up"
    case .done: "done"
    case .warned: "with errors"
    case .failed: "failed"
    case .interrupted: "interrupted"
    }
  }

  /// Whether the engine has not answered an abort within ``UnansweredAborts/answerTimeout``.
  var isUnacknowledged: Bool { abortAge ?? 0 >= UnansweredAborts.answerTimeout }

  private var queued: String {
    switch ownWait {
    case .time: "not yet"
    case .job(let after): "after \(after)"
    case nil: queuePlace.map { "queued #\($0)" } ?? "queued"
    }
  }

  private var running: String {
    switch job.state {
    case .downloading: "download"
    case .finalizing: "verify"
    default: current?.phase.work ?? job.verb
    }
  }

  /// The package at work; nil if it is unknown or there is none.
  var current: UpdateStatus? {
    guard !job.state.isFinal, job.state != .finalizing, let step = job.currentStepIndex else {
      return nil
    }
    if let plan = job.plan, plan.indices.contains(step) { return plan[step] }
    if let position = job.updateSteps.firstIndex(of: step), job.updates.indices.contains(position) {
      return job.updates[position]
    }
    return entry.working.flatMap { $0.step == step ? $0.status : nil }
  }

  /// The activity while no package of the plan is at work.
  func activity(offset: Int) -> String {
    if let activity = job.activity { return activity }
    switch job.state {
    case .downloading: return Figures.bytes(job.downloadedBytes, of: job.totalDownloadBytes)
    case .finalizing where job.options.isDownloadOnly: return "the archives are checked"
    case .finalizing: return "the package database is asked for the result"
    default: return safePoint(offset: offset)
    }
  }

  /// The number of the package at work in the plan: `21/34`; nil if there is none.
  var step: String? {
    // The last fetched package is not yet being installed.
    if job.state == .installing, current?.phase == .downloaded { return nil }
    guard !job.state.isFinal, let step = job.currentStepIndex, job.planCount > 0 else { return nil }
    return "\(step < job.planCount ? max(0, step) + 1 : job.planCount)/\(job.planCount)"
  }

  /// The end of the row: time left, lateness or duration; empty if none applies.
  var tail: String { tails[0] }

  /// The variants of ``tail``, longest first, for narrow places: `+20s late`, `late 20s`, `late`.
  var tails: [String] {
    if job.state.isFinal {
      return [job.workedSeconds.map { Figures.duration($0) } ?? ""]
    }
    // A forecast for the whole job does not apply to a job that is to stop.
    if entry.isAbortAsked { return [""] }
    if job.isStopping { return stop?.tails(at: time) ?? [""] }
    if job.state == .queued {
      return [times?.end.map { "~" + Figures.forecast($0) } ?? ""]
    }
    guard let promise else { return [""] }
    if let seconds = promise.lateness(at: time) {
      let late = Figures.duration(Double(seconds))
      return ["+\(late) late", "late \(late)", "late"]
    }
    return [(job.state == .downloading ? "" : "~") + Figures.duration(promise.remaining)]
  }

  /// Whether the promised end, or the promised stop, has passed.
  var isLate: Bool {
    guard !job.state.isFinal else { return false }
    return (job.isStopping ? stop?.lateness(at: time) : promise?.lateness(at: time)) != nil
  }

  /// When an abort takes effect.
  private var stop: StopPromise? { StopPromise(job) }

  /// The effect of an accepted abort: `stops after libc6 (about 7s)`.
  func stopSentence(_ disposition: AbortDisposition) -> String {
    guard case .accepted(let name?, _) = disposition else { return disposition.sentence(for: job) }
    return "stops after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
  }

  /// The longest of ``tails`` that fits, else the shortest.
  func tail(columns: Int) -> String {
    tails.first { $0.count <= columns } ?? tails.last ?? ""
  }

  /// How long the job has been running: `elapsed 2m06s`; nil before its start and after its end.
  var elapsed: String? {
    guard !job.state.isFinal, let time, let start = job.startedAt else { return nil }
    return "elapsed \(Figures.elapsed(time.seconds(since: start)))"
  }

  /// The download rate; empty if the job is not downloading.
  var speed: String {
    guard job.state == .downloading, let rate = job.bytesPerSecond, rate > 0 else { return "" }
    return Figures.rate(rate)
  }

  /// The effect of an abort now (row C24): `safe to stop: nothing unpacked`, `stops after X`.
  ///
  /// For an accepted abort also its requester and time; a time of day stays correct without
  /// redrawing.
  func safePoint(offset: Int) -> String {
    if job.state.isFinal { return "" }
    if entry.isAbortAsked {
      let ago = abortAge.map { $0 > 0 ? " \(Figures.duration(Double($0))) ago" : "" } ?? ""
      return "abort asked for\(ago): "
        + (isUnacknowledged
          ? "not acknowledged, the engine has not answered" : "the engine has not answered yet")
    }
    if let abort = job.abort, case .accepted = abort.disposition {
      let asked = Figures.time(abort.requestedAt, offset: offset)
      return stopSentence(abort.disposition)
        + " · asked for by \(abort.requestedBy.user) at \(asked)"
    }
    return outdated(offset: offset) + preview
  }

  /// The stop point in about thirty letters: `abort: after libc6 ~7s`; nil if it is unknown
  /// or out of date, and while an abort request is unanswered.
  var shortSafePoint: String? {
    guard !job.state.isFinal, !entry.isAbortAsked, !isOutdated else { return nil }
    let disposition = job.abort?.disposition ?? job.abortPreview
    guard let name = disposition.stopsAfter else { return nil }
    return "abort: after \(name)" + (stop?.tails(at: time)?.first.map { " " + $0 } ?? "")
  }

  /// The prefix for statements that may be out of date: `as of 12:03:04: `.
  private func outdated(offset: Int) -> String {
    guard isOutdated else { return "" }
    return knownAt.map { "as of \(Figures.time($0, offset: offset)): " } ?? "last known: "
  }

  private var preview: String {
    switch job.abortPreview {
    case .accepted(stopsAfter: nil, _) where job.state == .queued: "safe to stop: not begun"
    case .accepted(stopsAfter: nil, _) where isPast:
      "an abort then would have stopped at once, \(job.stateAfterStop)"
    case .accepted(stopsAfter: nil, _): "safe to stop: \(job.stateAfterStop)"
    case .accepted(let name?, _) where isPast: "an abort then would have stopped after \(name)"
    case .accepted(let name?, _):
      "abort now would stop after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
    case .refused(let reason) where reason.code == .finalStep && isLastStepDone:
      "ending: the last step is done, the result is verified next"
    case .refused(let reason): "cannot stop: \(reason.message)"
    case .alreadyCompleted: "nothing left to stop"
    }
  }

  /// Whether the package at work is done and is the last one of the plan.
  private var isLastStepDone: Bool {
    guard let current, let step = job.currentStepIndex, step >= job.planCount - 1 else {
      return false
    }
    return current.resultCode.isFinal || current.phase == .done
      || current.percentComplete >= 100
  }

  /// Why the job does not proceed: the lock holder, the time of the last sign of life, the lost
  /// worker, the overdue stage, the queue; nil if it proceeds.
  func waitReason(offset: Int) -> String? {
    guard job.hasLostWorker else { return blockReason(offset: offset) }
    return [job.activity, blockReason(offset: offset)].compactMap(\.self).joined(separator: "; ")
  }

  private func blockReason(offset: Int) -> String? {
    if job.state == .waitingForLock {
      guard let holder = job.waitingFor?.holder else {
        return "waits for the package lock"
          + (job.waitingFor.map { ": \($0.message)" } ?? "")
      }
      let who = "waits for \(holder.command ?? "a process") (pid \(holder.pid))"
      let doing = job.activity.map { ", which \($0)" } ?? ", which holds the package lock"
      return who + doing + (holder.canYield ? "; it yields when asked (:yield)" : "")
    }
    if job.isStalled {
      let cause = job.stall.map { ": \($0.message)\($0.remedy)" } ?? ""
      guard let last = job.lastActivityAt else { return "no sign of life" + cause }
      return "no sign of life since \(Figures.time(last, offset: offset))" + cause
    }
    if let overdue = job.overdue, !job.state.isFinal {
      return overdue.sentence(at: isPast ? nil : time, offset: offset)
    }
    let reason = job.waitingFor.map { QueueWords.sentence($0, offset: offset, now: now) }
    guard job.state == .queued else { return reason }
    let turn = job.isPaused ? reason : turnReason(offset: offset).map { $0 + times.words }
    let parts = [turn, prefetchActivity].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The work for a queued job before its turn: `its archives are being fetched`; nil if the engine
  /// reports none, and for jobs that are not queued.
  var prefetchActivity: String? { job.state == .queued ? job.activity : nil }

  /// Why a queued job that is not paused has not begun: its start time, another job, a paused
  /// queue, or its turn.
  ///
  /// The reason comes from the present state of the queue. A snapshot of a new job has no reason,
  /// and the reason in an old snapshot may no longer apply.
  private func turnReason(offset: Int) -> String? {
    switch ownWait {
    case .job(let after): return "waits for job \(after) to end"
    case .time(.some): return ownStart(offset: offset).map { "does not start " + $0 }
    case .time(nil): return job.waitingFor?.message
    case nil: break
    }
    if let queuePause { return QueueWords.sentence(queuePause, offset: offset, now: now) }
    let ahead = atWork.map { "job \($0) goes first" }
    guard let told = job.waitingFor else { return ahead }
    switch told.kind {
    case .job where told.job != job.options.after: return ahead ?? told.message
    // The event for which the job waited has happened.
    case .job, .time: return ahead
    case .lock, .paused, .question: return QueueWords.sentence(told, offset: offset, now: now)
    }
  }

  /// The start time of a job that waits for one: `before 11-26 15:00:00`; nil for any other job.
  func ownStart(offset: Int) -> String? {
    guard case .time(let start?) = ownWait else { return nil }
    return "before \(Figures.moment(start, offset: offset, now: time))"
  }

  /// How an ended job ended, in a sentence; nil for a job that has not ended.
  var ending: String? { JobEnding(job)?.sentence }
}

extension StallCause {
  /// The remedy for a hanging maintainer script, which no abort can end; empty for other causes.
  fileprivate var remedy: String {
    guard kind == .script, let pid else { return "" }
    return "; if it hangs, only the end of process \(pid) lets it go on"
  }
}

extension UpdatePhase {
  /// The word for a package at work; nil if it is not begun, only fetched, or done.
  var work: String? {
    switch self {
    case .pending, .downloaded, .done: nil
    case .downloading, .unpacking, .unpacked, .configuring, .removing, .triggers: word
    }
  }

  /// The word for the phase.
  var word: String {
    switch self {
    case .pending: "waits"
    case .downloading: "download"
    case .downloaded: "downloaded"
    case .unpacking: "unpack"
    case .unpacked: "unpacked"
    case .configuring: "configure"
    case .removing: "remove"
    case .triggers: "triggers"
    case .done: "done"
    }
  }
}

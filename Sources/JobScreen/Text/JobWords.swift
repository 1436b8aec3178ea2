import InstallJobs

/// What the monitor says about a job, in one word or one line; the same words in every place.
///
/// The texts still hold what packages and peers wrote: drawing sanitises, and plain output does so
/// by itself.
struct JobWords: Sendable {
  let entry: JobStore.Entry
  /// The place among those that wait, from 1.
  var queuePlace: Int?
  /// What the job waits for by its own wish, in the queue.
  var ownWait: OwnWait?
  /// When the job should be over.
  var promise: JobPromise?
  /// When a job that waits has its turn and is over.
  var times: QueueForecast.Times?
  /// The time by the engine's clock; nil where nothing is counted on.
  var time: Timestamp?
  /// Seconds since an abort was asked for here that the engine has not answered.
  var abortAge: Int?
  /// What the engine says now is not known: what it said last is no promise any more.
  var isOutdated = false
  /// What is said is of a moment that is past.
  var isPast = false
  /// When it was heard last, by the time here.
  var knownAt: Timestamp?
  /// The job that is at work.
  var atWork: JobID?
  /// Why no further job begins; nil where nothing keeps the queue, or each job says it by itself.
  var queuePause: QueuePause?
  /// The present, where ages are told instead of times: in what is printed once.
  var now: Timestamp?

  /// What the job says by itself.
  init(entry: JobStore.Entry, queuePlace: Int? = nil) {
    self.entry = entry
    self.queuePlace = queuePlace
    promise = JobPromise(entry.job)
    times = QueueForecast.Times(entry.job)
    ownWait = entry.job.isHeld ? nil : entry.job.ownWait
  }

  private var job: JobSnapshot { entry.job }

  /// The packages: `hello 2.10-3`, `remove nginx`, `upgrade (34 packages)`.
  var what: String {
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
    // One number: every package that the work touches, those that only others need as well.
    if job.planCount > 1 || asked.count > 1 {
      text += " (\(Figures.count(job.planCount, "package")))"
    }
    return text.isEmpty ? "nothing" : text
  }

  /// What was asked for, and how many packages the work touches in all: `hello 2.10-3`,
  /// `app, 2 packages in all`, `ripgrep and 17 more (2 need nothing), 16 packages in all`,
  /// `upgrade app and 1 more (1 stays: it is held at 1.0)`.
  var asked: String {
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
      text += ", " + Self.stays(kept)
    } else if idle + kept.count > 0 {
      let needs = idle == 1 ? "needs" : "need"
      let remarks =
        (idle > 0 ? ["\(idle) \(needs) nothing"] : [])
        + (kept.isEmpty ? [] : ["\(kept.count) " + Self.stays(kept)])
      text += " (\(remarks.joined(separator: ", ")))"
    }
    guard idle + kept.count < count else {
      // What an earlier job left half done is mended with the next one, whatever that is for.
      if job.planCount > 0 { text += "; mends \(Figures.count(job.planCount, "package"))" }
      return text
    }
    // The number tells something where it is not the one of what was asked for.
    return job.planCount == count
      ? text : text + ", \(Figures.count(job.planCount, "package")) in all"
  }

  /// `stays: it is held at 1.0`, `stay as they are`.
  private static func stays(_ reasons: [String]) -> String {
    guard reasons.count == 1 else { return "stay as they are" }
    return reasons[0].count <= 60 ? "stays: \(reasons[0])" : "stays as it is"
  }

  /// The packages where there is little room: the name tells jobs apart, the operation does not.
  var shortWhat: String {
    guard let first = job.updates.first else { return what }
    return first.name + (job.planCount > 1 ? " +\(job.planCount - 1)" : "")
  }

  /// The same with what is done to them: `upgrade libc6 +4`; an installation is what is meant where
  /// nothing is said.
  var operationWhat: String { job.operationPrefix + shortWhat }

  /// The state in at most some twelve letters: `unpack`, `queued #2`, `wait lock`; more where an
  /// abort is not answered: `not acknowledged 7s`.
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

  /// Whether the engine has kept silent about an abort for too long.
  var isUnacknowledged: Bool { abortAge ?? 0 >= OpenAborts.answerTimeout }

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

  /// The package that is worked on, where it is known.
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

  /// What is going on where no package of the plan is at work.
  func whole(offset: Int) -> String {
    if let activity = job.activity { return activity }
    switch job.state {
    case .downloading: return Figures.bytes(job.downloadedBytes, of: job.totalDownloadBytes)
    case .finalizing where job.options.isDownloadOnly: return "the archives are checked"
    case .finalizing: return "the package database is asked for the result"
    default: return safePoint(offset: offset)
    }
  }

  /// `21/34`: which package of the plan is worked on; nil while none is.
  var step: String? {
    // The last one that was fetched is not the first that is installed.
    if job.state == .installing, current?.phase == .downloaded { return nil }
    guard !job.state.isFinal, let step = job.currentStepIndex, job.planCount > 0 else { return nil }
    return "\(step < job.planCount ? max(0, step) + 1 : job.planCount)/\(job.planCount)"
  }

  /// What stands at the end of the row: time left, how late it is, how long it took, or nothing.
  var tail: String { tails[0] }

  /// The same, longest first, for places of little room: `+20s late`, `late 20s`, `late`.
  var tails: [String] {
    if job.state.isFinal {
      return [job.workedSeconds.map { Figures.duration($0) } ?? ""]
    }
    // What is foreseen of the whole work is not what a job that is to stop will do.
    if entry.isAbortAsked { return [""] }
    if job.isStopping { return stop?.tails(at: time) ?? [""] }
    if job.state == .queued {
      return [times?.end.map { "~" + Figures.foreseen($0) } ?? ""]
    }
    guard let promise else { return [""] }
    if let seconds = promise.lateness(at: time) {
      let late = Figures.duration(Double(seconds))
      return ["+\(late) late", "late \(late)", "late"]
    }
    return [(job.state == .downloading ? "" : "~") + Figures.duration(promise.remaining)]
  }

  /// Whether the promised end has passed.
  var isLate: Bool {
    guard !job.state.isFinal else { return false }
    return (job.isStopping ? stop?.lateness(at: time) : promise?.lateness(at: time)) != nil
  }

  /// When an abort takes effect.
  private var stop: StopPromise? { StopPromise(job) }

  /// What an abort does that was accepted: `stops after libc6 (about 7s)`.
  func stopSentence(_ disposition: AbortDisposition) -> String {
    guard case .accepted(let name?, _) = disposition else { return disposition.sentence(for: job) }
    return "stops after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
  }

  /// The longest of ``tails`` that fits.
  func tail(columns: Int) -> String {
    tails.first { $0.count <= columns } ?? tails.last ?? ""
  }

  /// How long the job has been at work: `elapsed 2m06s`; nil before it began and when it is over.
  var elapsed: String? {
    guard !job.state.isFinal, let time, let start = job.startedAt else { return nil }
    return "elapsed \(Figures.elapsed(time.seconds(since: start)))"
  }

  /// The rate of a transfer, nothing otherwise.
  var speed: String {
    guard job.state == .downloading, let rate = job.bytesPerSecond, rate > 0 else { return "" }
    return Figures.rate(rate)
  }

  /// What an abort would do now (row C24): `safe to stop: nothing unpacked`, `stops after X`.
  ///
  /// Of one that was accepted, when it was asked for: a time of day stays right while nothing moves.
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

  /// Where an abort stops, in some thirty letters: `abort: after libc6 ~7s`; nil where that is not
  /// known, or is said otherwise.
  var shortSafePoint: String? {
    guard !job.state.isFinal, !entry.isAbortAsked, !isOutdated else { return nil }
    let disposition = job.abort?.disposition ?? job.abortPreview
    guard let name = disposition.stopsAfter else { return nil }
    return "abort: after \(name)" + (stop?.tails(at: time)?.first.map { " " + $0 } ?? "")
  }

  /// In front of what holds no longer by itself: `as of 12:03:04: `.
  private func outdated(offset: Int) -> String {
    guard isOutdated else { return "" }
    return knownAt.map { "as of \(Figures.time($0, offset: offset)): " } ?? "last known: "
  }

  private var preview: String {
    switch job.abortPreview {
    case .accepted(stopsAfter: nil, _) where job.state == .queued: "safe to stop: not begun"
    case .accepted(stopsAfter: nil, _) where isPast:
      "an abort then would have stopped at once, \(job.whatStays)"
    case .accepted(stopsAfter: nil, _): "safe to stop: \(job.whatStays)"
    case .accepted(let name?, _) where isPast: "an abort then would have stopped after \(name)"
    case .accepted(let name?, _):
      "abort now would stop after \(name)" + (stop?.words(at: time).map { " (\($0))" } ?? "")
    case .refused(let reason) where reason.code == .finalStep && isLastStepDone:
      "ending: the last step is done, the result is verified next"
    case .refused(let reason): "cannot stop: \(reason.message)"
    case .alreadyCompleted: "nothing left to stop"
    }
  }

  /// Whether the package that is told as worked on is done, and none comes behind it.
  private var isLastStepDone: Bool {
    guard let current, let step = job.currentStepIndex, step >= job.planCount - 1 else {
      return false
    }
    return current.resultCode.isFinal || current.phase == .done
      || current.percentComplete >= 100
  }

  /// Why the job does not go on, who holds the lock, since when nothing moved, or that nobody is in
  /// charge of what goes on; nil otherwise.
  func wait(offset: Int) -> String? {
    guard job.hasLostWorker else { return standstill(offset: offset) }
    return [job.activity, standstill(offset: offset)].compactMap(\.self).joined(separator: "; ")
  }

  private func standstill(offset: Int) -> String? {
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
      let cause = job.stall.map { ": \($0.message)\($0.wayOut)" } ?? ""
      guard let last = job.lastActivityAt else { return "no sign of life" + cause }
      return "no sign of life since \(Figures.time(last, offset: offset))" + cause
    }
    if let overdue = job.overdue, !job.state.isFinal {
      return overdue.sentence(at: isPast ? nil : time, offset: offset)
    }
    let reason = job.waitingFor.map { QueueWords.sentence($0, offset: offset, now: now) }
    guard job.state == .queued else { return reason }
    let turn = job.isHeld ? reason : turn(offset: offset).map { $0 + times.words }
    let parts = [turn, ahead].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// What is done for a job before its turn: `its archives are being fetched`; nil where the engine
  /// tells nothing, and for a job that does not wait in the queue.
  var ahead: String? { job.state == .queued ? job.activity : nil }

  /// Why a job that nobody holds has not begun: its own time or job, the queue's pause, its turn.
  ///
  /// Told from what is known now: a job that was submitted a moment ago comes without a reason, and
  /// of one that has waited for long what its snapshot names may be over.
  private func turn(offset: Int) -> String? {
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
    // What it waited for by its own wish is over.
    case .job, .time: return ahead
    case .lock, .paused, .question: return QueueWords.sentence(told, offset: offset, now: now)
    }
  }

  /// When a job may begin that waits for its own time: `before 11-26 15:00:00`; nil for any other.
  func ownStart(offset: Int) -> String? {
    guard case .time(let start?) = ownWait else { return nil }
    return "before \(Figures.moment(start, offset: offset, now: time))"
  }

  /// How an ended job ended, in a sentence; nil for one that is not over.
  var ending: String? { JobEnding(job)?.sentence }
}

extension StallCause {
  /// What helps where nothing else will: no abort ends a script.
  fileprivate var wayOut: String {
    guard kind == .script, let pid else { return "" }
    return "; if it hangs, only the end of process \(pid) lets it go on"
  }
}

extension UpdatePhase {
  /// The word while a package is at work; nil when it is not begun, only fetched, or done.
  var work: String? {
    switch self {
    case .pending, .downloaded, .done: nil
    case .downloading, .unpacking, .unpacked, .configuring, .removing, .triggers: word
    }
  }

  /// The word for what is being done.
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

import Canvas
package import InstallJobs
import JobText

/// Events as text lines, for `--plain`, `--follow` and `watch`: only appended, with fields in a
/// fixed order.
///
/// A job gets a line for each change of state, and at work for each tenth of its progress or at
/// least every 30 seconds.
package struct PlainReport: Sendable {
  /// Progress in per cent between two lines of a job in the same state.
  static let step = 10.0
  /// The longest time in seconds without a line for a job that reports progress.
  static let interval = 30.0

  private struct Last: Sendable {
    var state: JobState
    var waitingFor: WaitReason?
    var percent: Double
    var at: Timestamp
    var step: Int?
    var ahead: String?
  }

  private let timeOffset: Int
  private let only: Set<JobID>?
  private let isRecorded: Bool
  private let countsAtStart: Bool
  private let advice: (@Sendable (String) -> String)?
  private var book = JobStore()
  private var arriving: [JobSnapshot] = []
  private var last: [JobID: Last] = [:]

  /// - Parameters:
  ///   - only: The jobs to report; nil means every job.
  ///   - timeOffset: Offset of the printed times from UTC, in seconds, positive in the east.
  ///   - isRecorded: Whether the events are from a record, which has no progress: then each package
  ///     that begins gets a line.
  ///   - countsAtStart: Whether to print the number of jobs after a snapshot.
  ///   - advice: Rewrites the hint of a job that did not succeed for the reader; nil prints no
  ///     hint, because the engine will be gone by then.
  package init(
    only: Set<JobID>? = nil, timeOffset: Int = 0, isRecorded: Bool = false,
    countsAtStart: Bool = false, advice: (@Sendable (String) -> String)? = nil
  ) {
    self.advice = advice
    self.only = only
    self.countsAtStart = countsAtStart
    self.isRecorded = isRecorded
    self.timeOffset = timeOffset
  }

  /// Applies an event and returns its lines, without line ends.
  ///
  /// Keys, sizes and plans have no lines. At the end of a snapshot each job that has not ended gets
  /// a line; an ended job gets lines only if `only` names it.
  package mutating func apply(_ event: MonitorEvent) -> [String] {
    switch event {
    case .snapshotBegin: arriving = []
    case .snapshot(let jobs):
      arriving += jobs.filter { isWanted($0.id) }.map(\.withoutPlan)
    case .snapshotEnd: return endSnapshot()
    case .event(let event): return apply(event)
    case .ticks(let events): return events.flatMap { apply($0) }
    case .failed(let error, _, let order):
      let failed = error.code == .engineUnreachable ? "" : " failed"
      let name = order.map { "\($0.name)\(failed): " } ?? ""
      return ["fettle: " + sanitize(name + error.description)]
    case .unread(let error, _):
      return ["fettle: " + sanitize(error.description)]
    case .journal, .key, .line, .paste, .mouse, .resize, .plan, .planned, .refused, .submitted,
      .upgradable, .past, .logChunk, .abortAnswer, .yieldAnswer, .answered, .link, .readOnly,
      .notice, .engine, .replay, .clock, .tick:
      break
    }
    return []
  }

  /// Applies an element of the engine's event stream and returns its lines.
  package mutating func apply(element: EngineEvents.Element) -> [String] {
    apply(MonitorEvent(element))
  }

  private func isWanted(_ id: JobID) -> Bool { only?.contains(id) ?? true }

  private mutating func endSnapshot() -> [String] {
    let jobs = arriving.sorted { $0.id < $1.id }
    arriving = []
    book.replaceAll(
      with: Dictionary(jobs.map { ($0.id, JobStore.Entry(job: $0)) }) { _, newer in newer },
      keepingPlanOf: nil)
    last = last.filter { id, _ in book[id].map { !$0.job.state.isFinal } ?? false }
    let lines = jobs.flatMap { job -> [String] in
      guard !job.state.isFinal else { return only == nil ? [] : end(job) }
      return [line(job.id, at: job.lastActivityAt ?? job.submittedAt)].compactMap { $0 }
    }
    guard countsAtStart else { return lines }
    let over = jobs.count(where: \.state.isFinal)
    let open = jobs.count - over
    let sum = [Figures.count(jobs.count, "job"), "\(open) not over", "\(over) over"]
    return lines + [sum.joined(separator: ", ") + (over > 0 ? "; 'fettle jobs' lists them" : "")]
  }

  private mutating func apply(_ event: JobEvent) -> [String] {
    if case .engine(let notice) = event.payload {
      return ["\(time(event.at)) engine=\(notice.kind.rawValue) message=\(quoted(notice.message))"]
    }
    guard let id = event.job, isWanted(id) else { return [] }
    book.apply(event)
    if let percent = event.progressMark?.percentComplete,
      percent > book[id]?.job.percentComplete ?? 0
    {
      book.change(id) { $0.job.percentComplete = percent }
    }
    guard let job = book[id]?.job else { return [] }
    switch event.payload {
    case .submitted: return [line(id, at: event.at)].compactMap { $0 }
    case .state(let change):
      if let priority = change.priority {
        let by = change.movedBy.map { " by=\(quoted($0.user))" } ?? ""
        return ["\(time(event.at)) job=\(id) moved priority=\(priority)\(by)"]
      }
      guard let last = last[id], last.state == job.state, last.waitingFor == job.waitingFor else {
        return [line(id, at: event.at)].compactMap { $0 }
      }
      return []
    case .progress:
      let ahead = JobWords(job).prefetchActivity
      guard let last = last[id], last.ahead == ahead else {
        return [line(id, at: event.at)].compactMap { $0 }
      }
      let isFurther =
        (job.percentComplete / Self.step).rounded(.down)
        > (last.percent / Self.step).rounded(.down)
      guard isFurther || event.at.seconds(since: last.at) >= Self.interval else { return [] }
      return [line(id, at: event.at)].compactMap { $0 }
    case .update(let index, let status):
      guard status.resultCode == .failed else {
        guard isRecorded, status.phase > .downloaded, status.phase < .done,
          last[id]?.step != index
        else { return [] }
        book.change(id) { $0.job.currentStepIndex = index }
        return [line(id, at: event.at)].compactMap { $0 }
      }
      let error = status.error.map { " error=\(quoted($0.detail ?? $0.message))" } ?? ""
      return ["\(time(event.at)) job=\(id) package=\(quoted(status.name)) result=failed\(error)"]
    case .abortRequested(let record):
      return ["\(time(event.at)) job=\(id) \(abort(record))"]
    case .abortWithdrawn(let who):
      return ["\(time(event.at)) job=\(id) abort=withdrawn by=\(quoted(who.user))"]
    case .completed: return end(job)
    case .cleanedUp(let who):
      // No further events follow for a cleaned-up job.
      last[id] = nil
      book.forget(id)
      return ["\(time(event.at)) job=\(id) cleaned-up by=\(quoted(who.user))"]
    case .verifiedAfterReboot(let check):
      return ["\(time(event.at)) job=\(id) after-restart=\(check.outcome.rawValue)"]
    case .log, .engine: return []
    }
  }

  private mutating func line(_ id: JobID, at: Timestamp) -> String? {
    guard let entry = book[id] else { return nil }
    let (job, words) = (entry.job, JobWords(entry: entry))
    last[id] = Last(
      state: job.state, waitingFor: job.waitingFor, percent: job.percentComplete, at: at,
      step: job.currentStepIndex, ahead: words.prefetchActivity)
    var fields = [time(at), "job=\(id)"]
    if job.provider.isSimulated { fields.append("simulated") }
    fields.append("state=\(job.state.rawValue)")
    if let current = words.current { fields.append("phase=\(current.phase.rawValue)") }
    if let step = words.step { fields.append("step=\(step)") }
    fields.append("pct=\(Int(job.percentComplete.bounded(to: 0...100)))")
    if let current = words.current { fields.append("package=\(quoted(current.name))") }
    if let holder = job.waitingFor?.holder {
      fields.append("lock=\(quoted(holder.command ?? "unknown")) pid=\(holder.pid)")
      if let activity = job.activity { fields.append("holder-does=\(quoted(activity))") }
    } else if let reason = job.waitingFor {
      fields.append("waits=\(quoted(reason.message))")
    }
    if let ahead = words.prefetchActivity { fields.append("ahead=\(quoted(ahead))") }
    if job.isStalled {
      fields.append("stalled")
      if let stall = job.stall { fields.append("cause=\(quoted(stall.message))") }
    }
    if let overdue = job.overdue {
      fields.append("overdue=\(quoted(overdue.words))")
      fields.append("usual=\(Figures.shortDuration(overdue.usualSeconds))")
    }
    // As in the rows of the screen: the promised end, not the latest estimate.
    if job.isStopping {
      if case .accepted(let name?, _)? = job.abort?.disposition {
        fields.append("stops-after=\(quoted(name))")
      }
      if let stop = StopPromise(job) {
        fields.append("eta=\(Int(max(0, stop.end.seconds(since: at)).rounded()))s")
        if let late = stop.lateness(at: at) { fields.append("late=\(late)s") }
      }
    } else if let promise = book.promise(of: id) {
      fields.append("eta=\(Int(promise.remaining.rounded()))s")
      if let late = promise.lateness(at: at) { fields.append("late=\(late)s") }
    }
    return fields.joined(separator: " ")
  }

  private func abort(_ record: AbortRecord) -> String {
    var text = "abort=\(record.disposition.word) by=\(quoted(record.requestedBy.user))"
    switch record.disposition {
    case .accepted(let stopsAfter, let eta):
      if let stopsAfter { text += " stops-after=\(quoted(stopsAfter))" }
      if let eta { text += " eta=\(Int(eta.bounded(to: 0...1e9).rounded()))s" }
    case .refused(let reason): text += " reason=\(quoted(reason.message))"
    case .alreadyCompleted: break
    }
    return text
  }

  private mutating func end(_ job: JobSnapshot) -> [String] {
    last[job.id] = nil
    guard let ending = JobEnding(job) else { return [] }
    let at = job.endedAt ?? job.submittedAt
    var fields = [time(at), "job=\(job.id)"]
    if job.provider.isSimulated { fields.append("simulated") }
    fields += [
      "state=\(job.state.rawValue)", "result=\(ending.name)",
      "pct=\(Int(job.percentComplete.bounded(to: 0...100)))",
    ]
    if let seconds = job.workedSeconds {
      fields.append("took=\(Figures.wholeSeconds(seconds))s")
    }
    if let seconds = job.interruptedSeconds {
      fields.append("interrupted-for=\(Figures.wholeSeconds(seconds))s")
    }
    var lines = [fields.joined(separator: " "), "job \(job.id) " + sanitize(ending.longSentence)]
    if ending.result != .succeeded, let advice, let hint = job.error?.hint {
      lines.append("job \(job.id) next: " + sanitize(advice(hint)))
    }
    return lines
  }

  private func time(_ at: Timestamp) -> String { Figures.time(at, offset: timeOffset) }

  /// A field's value: bare if it is one plain word, otherwise in quotes.
  private func quoted(_ text: String) -> String {
    let safe = sanitize(text)
    let isBare =
      !safe.isEmpty
      && safe.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || "+-._:/@~".unicodeScalars.contains(scalar)
      }
    guard !isBare else { return safe }
    var quoted = "\""
    for character in safe {
      if character == "\"" || character == "\\" { quoted += "\\" }
      quoted.append(character)
    }
    return quoted + "\""
  }
}

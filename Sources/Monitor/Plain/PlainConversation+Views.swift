import Canvas
import InstallJobs
import JobText

/// Read-only commands: lists, times, logs and their output.
extension PlainConversation {
  /// Performs an action without a job; `rest` is the text typed after its name.
  mutating func show(_ id: Action.ID, _ rest: String) -> Answer {
    switch id {
    case .showHistory:
      isHistoryAwaited = true
      return Answer(lines: ["the history is asked for"], intents: [.fetchHistory(after: nil)])
    case .nextProblem: return Answer(lines: problems)
    case .logLevel:
      level = level.next
      return Answer(lines: ["logs show \(level.words)"])
    case .pauseDisplay:
      isQuiet.toggle()
      return Answer(lines: [
        isQuiet ? "nothing is said of jobs, they go on; the same again says it" : "jobs are told of"
      ])
    case .reconnect:
      if state.link.isLive { return Answer(lines: ["connected already"]) }
      return Answer(lines: ["connecting"], intents: [.reconnect])
    case .find:
      guard rest.isEmpty else { return find(rest) }
      step = .finding
      return Answer(lines: ["words that jobs mention, or Enter for nothing:"])
    case .filter:
      guard rest.isEmpty else { return filter(rest) }
      step = .filter
      let text = sanitize(state.book.filter.text)
      return Answer(lines: [
        "terms as state:failed or by:ops" + (text.isEmpty ? "" : " (now: \(text))")
          + ", 'all' for no filter, or Enter for nothing:"
      ])
    case .sort:
      guard rest.isEmpty else { return sort(rest) }
      step = .order
      let keys = SortMenu.keys.enumerated().map { "\($0 + 1) \($1.word)" }
      return Answer(lines: [
        keys.joined(separator: ", ") + "; number, and reverse, or Enter for nothing:"
      ])
    case .settings:
      step = .setting
      return Answer(lines: settings + ["number of the one to change, or Enter for nothing:"])
    default: return Answer()
    }
  }

  /// Performs an action on one job: prints its times, or follows its log.
  mutating func show(for job: JobID, _ id: Action.ID) -> Answer {
    if id == .showTimeline {
      timed = job
      return Answer(intents: [.fetchPlan(job)])
    }
    followed = (job, LogSlice(of: nil))
    return Answer(
      lines: ["the log of job \(job) is read as it grows; follow again stops"],
      intents: [.fetchLog(job, from: nil)])
  }

  /// Stops following a log.
  mutating func stopFollowing() -> Answer {
    let job = followed?.job
    followed = nil
    return Answer(lines: job.map { ["the log of job \($0) is not read any more"] } ?? [])
  }

  /// The lines that the user requested and that this event delivers.
  mutating func linesAfter(at event: MonitorEvent) -> [String] {
    switch event {
    case .past(let jobs, _) where isHistoryAwaited:
      isHistoryAwaited = false
      return JobTable.history(Array(jobs.prefix(50)), timeOffset: state.timeOffset)
    case .plan(let id, let plan) where id == timed:
      timed = nil
      return times(of: id, plan)
    case .event(let event):
      guard let followed, event.job == followed.job, case .log(_, let text) = event.payload else {
        return []
      }
      var lines = followed.lines
      defer { self.followed?.lines = lines }
      return lines.append(text).map(sanitize).filter(isWanted)
    default: return []
    }
  }

  /// Whether a log line has at least the chosen level.
  func isWanted(_ line: String) -> Bool { LogLevel(of: line) >= level }

  /// The times of each package: `libc6: download 2s, unpack 3s from 14:02:31`.
  private func times(of id: JobID, _ plan: [UpdateStatus]) -> [String] {
    guard let job = state.book[id]?.job, let timeline = JobTimeline(job), let start = job.startedAt
    else { return ["job \(id) has not begun"] }
    return plan.map { status in
      let spans = timeline.spans(of: status).map { span in
        let time = start.advanced(bySeconds: span.start)
        return "\(span.activity.word) \(Figures.shortDuration(span.end - span.start))"
          + " from \(Figures.time(time, offset: state.timeOffset))"
      }
      return sanitize(
        "\(status.name): " + (spans.isEmpty ? "not begun" : spans.joined(separator: ", ")))
    }
  }

  /// The jobs that failed or ask a question, each with its details.
  private var problems: [String] {
    let found = state.book.list(.queue).places.compactMap { state.book[$0.job] }.filter {
      $0.job.isProblem || $0.mark == .asking
    }
    guard !found.isEmpty else { return ["no job has a problem"] }
    let lines = found.prefix(50).flatMap { entry in
      let words = JobWords(entry: entry)
      let why = words.ending ?? words.waitReason(offset: state.timeOffset) ?? words.phase
      let hint = entry.job.error?.hint.map { "; \($0)" } ?? ""
      let told = sanitize("job \(entry.job.id) \(words.packages) \(why)\(hint)")
      return [told] + Self.details(of: entry.job)
    }
    return lines + (found.count > 50 ? ["and \(found.count - 50) more"] : [])
  }

  /// A line for each of the first ten failed packages, with the output of dpkg or apt.
  private static func details(of job: JobSnapshot) -> [String] {
    let failed = (job.plan ?? job.updates).filter { $0.resultCode == .failed && $0.error != nil }
    let lines = failed.prefix(10).map { status in
      let error = status.error
      let detail = error?.detail.map { ", \($0)" } ?? ""
      let message = error?.message ?? ""
      let name = message.hasPrefix(status.name + ":") ? "" : status.name + ": "
      return sanitize("  \(name)\(message)\(detail)")
    }
    if lines.isEmpty, let detail = job.error?.detail {
      // No requested package failed; the error belongs to another package or to none.
      return [sanitize("  " + (job.error?.update.map { "\($0): " } ?? "") + detail)]
    }
    return lines + (failed.count > 10 ? ["  and \(failed.count - 10) more packages"] : [])
  }

  /// Lists the jobs that contain the words.
  mutating func find(_ words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    let word = words.lowercased()
    let found = state.book.list(.queue).places.compactMap { state.book[$0.job] }
      .filter { JobFilter.mentions($0, word) }
    guard !found.isEmpty else { return Answer(lines: ["no job mentions '\(sanitize(words))'"]) }
    return Answer(lines: found.prefix(50).map { "job \(JobTable.line(of: $0.job))" })
  }

  /// Sets the filter of the list.
  mutating func filter(_ words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    state.message = nil
    state.acceptFilter(words == "all" ? "" : words, before: state.book.filter.text)
    if let problem = state.message { return Answer(lines: [sanitize(problem.text)]) }
    return Answer(lines: jobs)
  }

  /// Sets the order of the list.
  mutating func sort(_ words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    let parts = words.lowercased().split(separator: " ").map(String.init)
    let number = parts.first.flatMap { Int($0) }
    let key =
      number.flatMap { SortMenu.keys.indices.contains($0 - 1) ? SortMenu.keys[$0 - 1] : nil }
      ?? parts.first.flatMap(JobSort.Key.init(rawValue:))
    guard let key, parts.count == 1 || parts.dropFirst() == ["reverse"] else {
      return Answer(lines: ["there is no order '\(sanitize(words))'"])
    }
    let order = SortMenu.order(key, after: .standard)
    state.sort(by: parts.count > 1 ? order.reversed : order)
    let said = state.message.map { [sanitize($0.text)] } ?? []
    return Answer(lines: said + jobs, intents: [.keep(state.preferences)])
  }

  /// The settings that matter in plain mode.
  private static let rows: [SettingsPage.Row] = [.cleanUp, .bell]

  private var settings: [String] {
    Self.rows.enumerated().map { index, row in
      "\(index + 1) \(SettingsPage.name(of: row)): \(SettingsPage.value(of: row, state.preferences))"
        + ", \(SettingsPage.note(on: row, state.actions))"
    }
  }

  /// Changes one of these settings; the others are for screens and for the settings file.
  mutating func change(_ words: String) -> Answer {
    step = .idle
    guard !words.isEmpty else { return Answer() }
    guard let number = Int(words), Self.rows.indices.contains(number - 1) else {
      return Answer(lines: ["there is no setting '\(sanitize(words))'"])
    }
    switch Self.rows[number - 1] {
    case .bell: state.preferences.ringsBell.toggle()
    default: state.preferences.confirmsCleanUp.toggle()
    }
    return Answer(lines: [settings[number - 1]], intents: [.keep(state.preferences)])
  }
}

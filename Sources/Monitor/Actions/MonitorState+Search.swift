import Canvas
import InstallJobs
import JobText

extension MonitorState {
  /// Handles a key in the prompt.
  mutating func type(_ key: Key) -> [Intent] {
    guard var line = prompt else { return [] }
    switch line.handle(key) {
    case .typing:
      prompt = line
      applyPrompt()
    case .completing(let forward):
      let isFilter = line.purpose == .filter
      line.complete(forward: forward) { text in
        isFilter
          ? filterCompletion.candidates(for: text) : commandLine.candidates(for: text)
      }
      prompt = line
      applyPrompt()
    case .accepted:
      prompt = nil
      switch line.purpose {
      case .find:
        findText = line.text
        find(forward: true, here: true)
      case .filter: acceptFilter(line.text, before: line.before)
      case .command: return run(line.text)
      }
    case .cancelled:
      prompt = nil
      if line.purpose == .filter { setFilter("") }
    }
    return []
  }

  /// Applies a filter that was confirmed with Enter; an invalid one leaves the previous filter in
  /// force.
  mutating func acceptFilter(_ text: String, before: String) {
    guard let problem = JobFilter(text, now: time.present).problem else { return setFilter(text) }
    setFilter(before)
    let kept = before.isEmpty ? "no filter is set" : "'\(before)' stays"
    message = Message(text: "filter: \(problem); \(kept)", isAlert: true)
  }

  /// Filters the list while the filter is typed.
  mutating func applyPrompt() {
    guard let prompt, prompt.purpose == .filter else { return }
    setFilter(prompt.text)
  }

  mutating func setFilter(_ text: String) {
    guard text != book.filter.text else { return }
    let filter = JobFilter(text, now: time.present)
    book.arrange(filter, preferences.sort)
    pausedStore?.arrange(filter, preferences.sort)
  }

  /// Recomputes the ages of a filter from the current time, at most once a minute.
  mutating func renewAges() {
    guard book.filter.hasAge, let now = time.present, let old = book.filter.now,
      abs(now.seconds(since: old)) >= 60
    else { return }
    let filter = JobFilter(book.filter.text, now: now)
    book.arrange(filter, preferences.sort, keepingOrder: true)
    pausedStore?.arrange(filter, preferences.sort, keepingOrder: true)
    removeHiddenTags()
  }

  /// Removes the tags of jobs that are no longer in the list, so that every tagged job is visible.
  ///
  /// Not while a filter is being typed: its first letters may match no job.
  mutating func removeHiddenTags() {
    guard !tags.isEmpty, prompt == nil else { return }
    tags = tags.filter { listBook.index(of: $0, in: list) != nil }
  }

  /// Selects the next job of the list that failed, was interrupted, ended with errors or asks a
  /// question.
  mutating func goToProblem() {
    let kind = list
    let order = listBook.list(kind)
    // The job of the last reported failure comes first.
    let told = removeLastFailedJob().flatMap { listBook.index(of: $0, in: kind) }
    let start =
      told.map { $0 - 1 } ?? cursor.selected.flatMap { listBook.index(of: $0, in: kind) } ?? -1
    for step in 1...max(1, order.count) where order.count > 0 {
      let id = order[(start + step + order.count) % order.count]
      guard let mark = listBook[id]?.mark,
        [.failed, .interrupted, .warned, .asking].contains(mark)
      else { continue }
      isFollowing = false
      var moved = cursor
      moved.select(
        id, in: listBook, kind, listRows, rows: FrameLayout(self, size: size).list.size.rows)
      cursor = moved
      return
    }
    message = Message(text: "no job of this list has a problem")
  }

  /// Goes to the next match: a line of the log, a package, or a job of the list.
  mutating func find(forward: Bool, here: Bool = false) {
    guard !findText.isEmpty else {
      logView.search(for: "", in: shownLog)
      message = Message(text: "nothing to find: / takes the words", isAlert: true)
      return
    }
    let found: Bool
    if screen.kind == .log {
      let rows = FrameLayout(self, size: size).log.size.rows
      logView.search(for: findText, in: shownLog)
      // A new search begins at the top line shown; while the log follows its end, at its beginning.
      let start = here ? (logView.isFollowing ? 0 : logView.top(of: shownLog, rows: rows)) : nil
      found = logView.find(in: shownLog, rows: rows, forward: forward, from: start)
      if let words = logView.matchWords, !logView.matches.isEmpty {
        let text = found ? words : "\(words): none \(forward ? "below" : "above")"
        message = Message(text: text, isAlert: !found)
        return
      }
    } else if screen.kind == .job || screen.kind == .timeline, let id = screen.job {
      found = findPackage(in: id, forward: forward, here: here)
    } else {
      found = findJob(forward: forward, here: here)
    }
    guard !found else { return }
    var text = "'\(findText)' is not found"
    if screen == .history, !past.isWhole, link.isLive {
      past.searchFurther()
      let key = actions.action(.findNext)?.keys.first.map { ": \($0.name) looks there, too" } ?? ""
      text += " in the jobs at hand; more of the history is fetched" + key
    }
    message = Message(text: text, isAlert: true)
  }

  private mutating func findJob(forward: Bool, here: Bool) -> Bool {
    let kind = list
    let order = listBook.list(kind)
    guard let selected = cursor.selected, let start = listBook.index(of: selected, in: kind) else {
      return false
    }
    let word = findText.lowercased()
    // From the next job on, around the end, back to the selected one.
    for step in (here ? 0 : 1)...order.count {
      let index = (start + (forward ? step : order.count - step)) % order.count
      let id = order[index]
      guard let entry = listBook[id], JobFilter.mentions(entry, word) else { continue }
      isFollowing = false
      var moved = cursor
      moved.select(
        id, in: listBook, kind, listRows, rows: FrameLayout(self, size: size).list.size.rows)
      cursor = moved
      return true
    }
    return false
  }

  private mutating func findPackage(in id: JobID, forward: Bool, here: Bool) -> Bool {
    let rows = FrameLayout(self, size: size).list.size.rows
    let window = StepWindow(self, of: id, rows: rows)
    let word = findText.lowercased()
    let last = foundStep.flatMap { name in window.steps.firstIndex { $0.name == name } }
    let start = last ?? (here || forward ? -1 : window.steps.count)
    let candidates =
      forward
      ? Array(window.steps.indices.dropFirst(max(0, here ? 0 : start + 1)))
      : Array(window.steps.indices.prefix(max(0, start)).reversed())
    guard let index = candidates.first(where: { window.steps[$0].name.contains(word) }) else {
      return false
    }
    foundStep = window.steps[index].name
    stepTop = index
    return true
  }
}

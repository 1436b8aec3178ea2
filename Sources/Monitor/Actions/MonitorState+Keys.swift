import Canvas
import InstallJobs
import JobText

extension MonitorState {
  /// Handles a key: it goes to a question, the prompt, the help, or the table of actions.
  mutating func handle(_ key: Key) -> [Intent] {
    if key == .control("l") { return [.repaint] }
    if key == .control("z") { return [.suspend] }
    if dialogue != nil { return answerQuestion(with: key) }
    if prompt != nil { return type(key) }
    if help == nil, sortMenu == nil, screen == .compose { return compose(key) }
    acknowledge()
    if let help { return handleHelpKey(key, help) }
    if sortMenu != nil { return handleSortMenuKey(key) }
    if screen == .settings, let intents = changeSetting(key) { return intents }
    guard let action = actions.action(for: key, on: keyScreen) else {
      // Ctrl-C quits, even if the settings bind other keys to quit.
      if key == .control("c") { return [.quit] }
      if let other = actions.action(for: key, on: screen.kind), other.flags.contains(.changes),
        let reason = replayRefusal
      {
        message = Message(text: "\(other.title): \(reason)", isAlert: true)
        return []
      }
      if let other = actions.actions.first(where: { $0.keys.contains(key) }) {
        message = Message(text: "\(key.name): '\(other.help)' is not for this screen")
      }
      return []
    }
    if let reason = disabledReason(action) {
      message = Message(text: "\(action.title): \(reason)", isAlert: true)
      return []
    }
    if action.id != .abort { offeredWithdrawal = nil }
    if let refusal = refusalAfterAutomaticMove(action.id) {
      message = Message(text: refusal, isAlert: true)
      return []
    }
    // The letter goes back one level first; the function key and Ctrl-C quit at once.
    if action.id == .quit, case .character = key, screens.count > 1 || list != .queue {
      return perform(replay == nil ? .back : .leaveReplay)
    }
    return perform(action.id)
  }

  /// Performs an action as its key would; the caller must refuse disabled actions before.
  package mutating func perform(_ action: Action.ID) -> [Intent] {
    if performInReplay(action) { return [] }
    switch action {
    case .replay: return selected.map { askForReplay(of: $0) } ?? []
    case .replayPlay, .replayBackward, .replayForward, .replayPrevious, .replayNext, .replaySlower,
      .replayFaster, .replayStart, .replayEnd, .leaveReplay:
      break
    case .abort: return askAbort()
    case .cleanUp: return askCleanUp(targets)
    case .cleanUpFinished: return askCleanUp(finished)
    case .retry: return retry()
    case .holdJob: return holdJobs()
    case .pauseQueue: return pauseQueue()
    case .yield: return [.askToYield]
    case .startFirst: return moveJobs(to: .first)
    case .startLast: return moveJobs(to: .last)
    case .compose: return openCompose()
    case .repair: return planRepair()
    case .nextProblem: goToProblem()
    case .settings: if screen != .settings { screens.append(.settings) }
    case .columnLeft: return moveColumn(by: -1)
    case .columnRight: return moveColumn(by: 1)
    case .command: prompt = Prompt(.command)
    case .tree:
      toggleTree()
      return screen.isList ? [.keep(preferences)] : []
    case .sort: sortMenu = SortMenu(preferences.sort)
    case .reverseSort:
      sort(by: preferences.sort.reversed)
      return [.keep(preferences)]
    case .mouse:
      preferences.usesMouse.toggle()
      say(
        preferences.usesMouse
          ? "mouse on: Shift selects text, m turns it off" : "mouse off: the terminal has it")
      return [.useMouse(preferences.usesMouse), .keep(preferences)]
    case .showTimeline: show { .timeline($0) }
    case .wrap: logView.toggleWrap()
    case .logLevel:
      logView.selectNextLevel(in: shownLog)
      say("the log shows \(logView.level.words)")
    case .shiftLeft: logView.shift(by: -20)
    case .shiftRight: logView.shift(by: 20)
    case .tag: tagSelected()
    case .tagAll: tags.formUnion(listBook.list(list).places.map(\.job))
    case .untagAll: tags = []
    case .moveUp: move(by: -1)
    case .moveDown: move(by: 1)
    case .pageUp: move(by: -page)
    case .pageDown: move(by: page)
    case .halfPageUp: move(by: -max(1, (page + 1) / 2))
    case .halfPageDown: move(by: max(1, (page + 1) / 2))
    case .first: move(by: -1_000_000_000)
    case .last: move(by: 1_000_000_000)
    case .open: open()
    case .back: back()
    case .showQueue: screens = [.queue]
    case .showHistory: screens = [.history]
    case .showJob: show { .job($0) }
    case .showLog: show { .log($0) }
    case .nextScreen: switchScreen(by: 1)
    case .previousScreen: switchScreen(by: -1)
    case .follow: follow()
    case .pauseDisplay: toggleDisplayPause()
    case .find: prompt = Prompt(.find)
    case .findNext: find(forward: true)
    case .findPrevious: find(forward: false)
    case .filter:
      prompt = Prompt(.filter, text: book.filter.text)
      applyPrompt()
    case .copyRow: return copy(selected.flatMap { book[$0] }.map { JobTable.line(of: $0.job) })
    case .copyField: return copy(field)
    case .help: help = HelpView()
    case .reconnect:
      link = .connecting
      return [.reconnect]
    case .repaint: return [.repaint]
    case .suspend: return [.suspend]
    case .quit: return [.quit]
    }
    return []
  }

  private var page: Int {
    switch screen.kind {
    case .queue, .history, .job, .timeline, .compose, .settings, .replay:
      max(1, FrameLayout(self, size: size).list.size.rows - 1)
    case .log: max(1, FrameLayout(self, size: size).log.size.rows - 1)
    }
  }

  private mutating func move(by delta: Int) {
    let layout = FrameLayout(self, size: size)
    switch screen {
    case .queue, .history:
      isFollowing = false
      var moved = cursor
      moved.move(by: delta, in: listBook.list(list), listRows, rows: layout.list.size.rows)
      cursor = moved
    case .log: logView.move(by: delta, in: shownLog, rows: layout.log.size.rows)
    case .job(let id), .timeline(let id):
      let rows = layout.list.size.rows - (screen.kind == .timeline ? 1 : 0)
      let window = StepWindow(self, of: id, rows: max(1, rows))
      stepTop = min(max(0, window.shown.lowerBound + delta), window.lastTop)
    case .settings: settings.move(by: delta, preferences)
    case .compose: break
    }
  }

  private mutating func copy(_ text: String?) -> [Intent] {
    guard let text else { return [] }
    say("copied: \(text)")
    return [.copy(text)]
  }

  /// The text to copy: the job number, or on the screens of one job the name of the found package,
  /// else of the one at work.
  private var field: String? {
    guard let id = selected else { return nil }
    guard screen.kind == .job || screen.kind == .timeline else { return "\(id)" }
    let window = StepWindow(self, of: id, rows: 1)
    let index = stepCursor(in: window) ?? window.current ?? window.shown.first
    return index.flatMap { window.steps.indices.contains($0) ? window.steps[$0].name : nil }
  }

  /// The last found package, else the one at work.
  func stepCursor(in window: StepWindow) -> Int? {
    if let foundStep, let index = window.steps.firstIndex(where: { $0.name == foundStep }) {
      return index
    }
    return window.current.flatMap { window.isAtWork($0) ? $0 : nil }
  }

  private mutating func toggleTree() {
    if screen.kind == .job {
      showsProblemsOnly.toggle()
      stepTop = nil
      say(showsProblemsOnly ? "only packages with problems" : "all packages")
    } else {
      preferences.isTree.toggle()
      say(preferences.isTree ? "jobs at work show their package" : "one line a job")
    }
  }

  private mutating func tagSelected() {
    guard let id = cursor.selected else { return }
    if tags.remove(id) == nil { tags.insert(id) }
    move(by: 1)
  }

  private mutating func show(_ screen: (JobID) -> Screen) {
    guard let id = selected else {
      message = Message(text: "no job is selected", isAlert: true)
      return
    }
    let base: Screen = list == .history ? .history : .queue
    screens = [base, screen(id)]
  }

  private mutating func open() {
    switch screen {
    case .queue, .history: show { .job($0) }
    case .job(let id), .timeline(let id): screens.append(.log(id))
    case .log, .compose, .settings: break
    }
  }

  private mutating func back() {
    if screens.count > 1 {
      screens.removeLast()
    } else if screen == .history {
      screens = [.queue]
    } else if !book.filter.isEmpty {
      setFilter("")
    }
  }

  private mutating func switchScreen(by step: Int) {
    let kinds = replay == nil ? Screen.Kind.tabs : [.job, .log, .timeline]
    let here = kinds.firstIndex(of: screen.kind) ?? 0
    switchScreen(to: kinds[(here + step + kinds.count) % kinds.count])
  }

  /// Switches to a screen, as the key of its tab does.
  mutating func switchScreen(to kind: Screen.Kind) {
    switch kind {
    case .queue: screens = [.queue]
    case .history: screens = [.history]
    case .job: show { .job($0) }
    case .log: show { .log($0) }
    case .timeline: show { .timeline($0) }
    case .compose: _ = openCompose()
    case .settings: screens.append(.settings)
    case .replay: break
    }
  }

  private mutating func follow() {
    if screen.kind == .log {
      let rows = FrameLayout(self, size: size).log.size.rows
      if logView.isFollowing { logView.hold(shownLog, rows: rows) } else { logView.follow() }
    } else if screen.kind == .job || screen.kind == .timeline {
      stepTop = nil
    } else {
      isFollowing.toggle()
      say(isFollowing ? "the selection follows the job at work" : "the selection stays")
    }
  }

}

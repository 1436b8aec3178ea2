package import Canvas

/// The table of all actions: an action that is not in it has no key and no help.
///
/// Delete, Backspace, Insert, Ctrl-K, Ctrl-S and Ctrl-Q are unbound on purpose.
package struct ActionTable: Sendable {
  /// Every action, in the order in which help shows them.
  package let actions: [Action]
  private let byKey: [Key: [Action]]
  private let byID: [Action.ID: Action]

  /// The table with the default keys.
  package static let standard = ActionTable(Self.rows + Self.replaying)

  /// A table of these actions; if two have the same key on one screen, the first one gets it.
  package init(_ actions: [Action]) {
    self.actions = actions
    byID = Dictionary(actions.map { ($0.id, $0) }) { first, _ in first }
    var keys: [Key: [Action]] = [:]
    for action in actions {
      for key in action.keys { keys[key, default: []].append(action) }
    }
    byKey = keys
  }

  /// The action bound to `key` on a screen; nil for an unbound key.
  package func action(for key: Key, on screen: Screen.Kind) -> Action? {
    byKey[key]?.first { $0.screens?.contains(screen) ?? true }
  }

  /// The action with this identity, if the table has it.
  package func action(_ id: Action.ID) -> Action? { byID[id] }

  /// The action with this name, if the table has it.
  package func action(named name: String) -> Action? { actions.first { $0.name == name } }

  /// The table with other keys for one action; an empty array unbinds it.
  package func binding(_ id: Action.ID, to keys: [Key]) -> ActionTable {
    ActionTable(
      actions.map { action in
        guard action.id == id else { return action }
        var bound = action
        bound.keys = keys
        return bound
      })
  }

  /// The actions of the function bar on a screen, in the order of their function keys.
  package func functionBar(on screen: Screen.Kind) -> [Action] {
    actions.filter { $0.bar != nil && ($0.screens?.contains(screen) ?? true) }
      .sorted { ($0.bar?.number ?? 0) < ($1.bar?.number ?? 0) }
  }

  /// The keys that move a column on the settings screen: `< >`; nil if both are unbound.
  var columnKeys: String? {
    let keys = [Action.ID.columnLeft, .columnRight].compactMap { action($0)?.keys.first?.name }
    return keys.isEmpty ? nil : keys.joined(separator: " ")
  }

  private static let lists = Screen.Kind.lists
  private static let jobs = Screen.Kind.jobs

  private static let live = Screen.Kind.live
  private static let orReplay = Screen.Kind.jobs.union([.replay])

  private static let rows: [Action] = [
    Action(
      .abort, .jobs, "abort at the next safe point; again: cancel",
      keys: [.character("x"), .function(9)], command: "fettle abort JOB",
      bar: Action.BarPlace("Abort", 9, .open),
      flags: [.changes, .dangerous], on: jobs),
    Action(
      .cleanUp, .jobs, "clean up ended jobs: free their files",
      keys: [.character("c"), .function(8)], command: "fettle cleanup JOB",
      bar: Action.BarPlace("Clean", 8), flags: [.changes], on: jobs),
    Action(
      .cleanUpFinished, .jobs, "clean up all ended jobs", keys: [.character("C")],
      command: "fettle cleanup --finished", flags: [.changes, .dangerous], on: jobs),
    Action(
      .holdJob, .jobs, "pause the job; again: resume it",
      keys: [.character("p"), .function(7)], command: "fettle pause JOB",
      bar: Action.BarPlace("Pause", 7, .open), flags: [.changes], on: jobs),
    Action(
      .pauseQueue, .jobs, "pause the queue; again: resume it", keys: [.character("P")],
      command: "fettle pause", flags: [.changes], on: jobs),
    Action(
      .yield, .jobs, "ask whoever holds the package lock to yield", keys: [.character("A")],
      command: "fettle yield", flags: [.changes], on: jobs),
    Action(
      .startFirst, .jobs, "move first: starts before all that wait", keys: [.character("+")],
      command: "fettle move JOB --first", flags: [.changes], on: jobs),
    Action(
      .startLast, .jobs, "move last: starts after all that wait", keys: [.character("-")],
      command: "fettle move JOB --last", flags: [.changes], on: jobs),
    Action(
      .retry, .jobs, "retry what did not succeed", keys: [.character("r")],
      command: "fettle retry JOB", bar: Action.BarPlace("Retry", 7, .ended), flags: [.changes],
      on: jobs),
    Action(
      .compose, .jobs, "write a new job: packages, plan, submit", keys: [.character("i")],
      command: "fettle install PACKAGE", flags: [.changes], on: jobs),
    Action(
      .repair, .jobs, "plan a repair of what is half done", keys: [.character("!")],
      command: "fettle doctor --repair", bar: Action.BarPlace("Repair", 7, .ended),
      flags: [.changes], on: jobs),
    Action(.tag, .jobs, "tag the job and step down", keys: [.character(" ")], on: lists),
    Action(.tagAll, .jobs, "tag all jobs shown", keys: [.character("*")], on: lists),
    Action(.untagAll, .jobs, "remove all tags", keys: [.character("u")], on: lists),
    Action(.moveUp, .moving, "up", keys: [.up, .character("k")]),
    Action(.moveDown, .moving, "down", keys: [.down, .character("j")]),
    Action(.pageUp, .moving, "a page up", keys: [.pageUp, .control("b")]),
    Action(.pageDown, .moving, "a page down", keys: [.pageDown, .control("f")]),
    Action(.halfPageUp, .moving, "half a page up", keys: [.control("u")]),
    Action(.halfPageDown, .moving, "half a page down", keys: [.control("d")]),
    Action(.first, .moving, "to the top", keys: [.character("g"), .home], on: live),
    Action(
      .last, .moving, "to the end; a log follows again", keys: [.character("G"), .end], on: live),
    Action(
      .find, .moving, "find in the list or log", keys: [.character("/"), .function(3)],
      bar: Action.BarPlace("Find", 3), on: orReplay),
    Action(
      .nextProblem, .moving, "next problem; failed jobs stand first",
      keys: [.character("e")], bar: Action.BarPlace("Problem", 9, .ended), on: lists),
    Action(.findNext, .moving, "next match", keys: [.character("n")], on: orReplay),
    Action(.findPrevious, .moving, "previous match", keys: [.character("N")], on: orReplay),
    Action(
      .open, .screens, "open: job, then its log", keys: [.enter, .character("l"), .right],
      command: "fettle show JOB", on: live),
    Action(
      .back, .screens, "back one level", keys: [.escape, .character("h"), .left], on: live),
    Action(.showQueue, .screens, "the queue", keys: [.character("1")], command: "fettle jobs"),
    Action(
      .showJob, .screens, "the selected job", keys: [.character("2")], command: "fettle show JOB"),
    Action(
      .showLog, .screens, "the selected job's log", keys: [.character("3")],
      command: "fettle log JOB"),
    Action(
      .showHistory, .screens, "ended jobs", keys: [.character("4")], command: "fettle history"),
    Action(
      .showTimeline, .screens, "when each package was worked on", keys: [.character("5")],
      on: orReplay),
    Action(.nextScreen, .screens, "next screen", keys: [.tab], on: orReplay),
    Action(.previousScreen, .screens, "previous screen", keys: [.backTab], on: orReplay),
    Action(
      .replay, .screens, "replay an ended job from its recording", keys: [.character("v")],
      command: "fettle replay JOB", bar: Action.BarPlace("Replay", 9, .ended), on: jobs),
    Action(
      .settings, .screens, "settings: theme, columns, motion",
      keys: [.character(","), .function(2)],
      bar: Action.BarPlace("Setup", 2), on: jobs),
    Action(
      .filter, .display, "show only jobs that match", keys: [.character("\\"), .function(4)],
      command: "fettle jobs --state", bar: Action.BarPlace("Filter", 4, short: "filt"), on: lists),
    Action(
      .tree, .display, "packages below jobs; or problems only",
      keys: [.character("t"), .function(5)], bar: Action.BarPlace("Tree", 5),
      on: [.queue, .job]),
    Action(
      .sort, .display, "sort by a column", keys: [.character("s"), .function(6)],
      bar: Action.BarPlace("Sort", 6), on: lists),
    Action(.reverseSort, .display, "the other way round", keys: [.character("S")], on: lists),
    Action(
      .follow, .display, "follow the running job, or the log", keys: [.character("f")],
      command: "fettle watch", on: jobs),
    Action(
      .pauseDisplay, .display, "pause the display; jobs go on", keys: [.character("z")], on: live),
    Action(
      .copyField, .display, "copy the number, or the package", keys: [.character("y")], on: jobs),
    Action(.copyRow, .display, "copy the whole line", keys: [.character("Y")], on: jobs),
    Action(
      .wrap, .display, "long lines of the log: cut or wrapped", keys: [.character("w")],
      on: orReplay),
    Action(
      .logLevel, .display, "log: all, warnings and errors, errors", keys: [.character("o")],
      on: orReplay),
    Action(.shiftLeft, .display, "the log to the left", keys: [.character("<")], on: jobs),
    Action(.shiftRight, .display, "the log to the right", keys: [.character(">")], on: jobs),
    Action(
      .columnLeft, .display, "the column further to the left", keys: [.character("<")],
      on: [.settings]),
    Action(
      .columnRight, .display, "the column further to the right", keys: [.character(">")],
      on: [.settings]),
    Action(
      .mouse, .display, "mouse on or off; Shift selects text", keys: [.character("m")]),
    Action(.repaint, .display, "repaint the screen", keys: [.control("l")]),
    Action(
      .help, .program, "this page", keys: [.character("?"), .function(1)], command: "fettle --help",
      bar: Action.BarPlace("Help", 1)),
    Action(.command, .program, "type a command", keys: [.character(":")]),
    Action(.reconnect, .program, "connect to the engine again", keys: [.character("R")]),
    Action(.suspend, .program, "to the shell; fg comes back", keys: [.control("z")]),
    Action(
      .quit, .program, "leave, jobs go on; q goes back first",
      keys: [.character("q"), .function(10), .control("c")], bar: Action.BarPlace("Quit", 10)),
  ]
}

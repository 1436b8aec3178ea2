/// The one table of actions (DESIGN promise 10): what is not in here has no key and no help.
///
/// Delete, Backspace, Insert, Ctrl-D, Ctrl-K, Ctrl-S and Ctrl-Q are unbound on purpose.
package struct ActionTable: Sendable {
  /// Every action, in the order in which help shows them.
  package let actions: [Action]
  private let byKey: [Key: [Action]]
  private let byID: [Action.ID: Action]

  /// The table with the keys that are bound at the start.
  package static let standard = ActionTable(Self.rows)

  /// A table of these actions; of two for one key on one screen the first counts.
  package init(_ actions: [Action]) {
    self.actions = actions
    byID = Dictionary(actions.map { ($0.id, $0) }) { first, _ in first }
    var keys: [Key: [Action]] = [:]
    for action in actions {
      for key in action.keys { keys[key, default: []].append(action) }
    }
    byKey = keys
  }

  /// The action that `key` stands for on a screen; nil for an unbound key.
  package func action(for key: Key, on screen: Screen.Kind) -> Action? {
    byKey[key.meant]?.first { $0.screens?.contains(screen) ?? true }
  }

  /// The row of `id`, if the table has one.
  package func action(_ id: Action.ID) -> Action? { byID[id] }

  /// The row that settings call `name`, if the table has one.
  package func action(named name: String) -> Action? { actions.first { $0.name == name } }

  /// The table with other keys for one action; no keys unbind it.
  package func binding(_ id: Action.ID, to keys: [Key]) -> ActionTable {
    ActionTable(
      actions.map { action in
        guard action.id == id else { return action }
        var bound = action
        bound.keys = keys
        return bound
      })
  }

  /// The actions that the function bar shows on a screen, by function key.
  package func functionBar(on screen: Screen.Kind) -> [Action] {
    actions.filter { $0.bar != nil && ($0.screens?.contains(screen) ?? true) }
      .sorted { ($0.bar?.number ?? 0) < ($1.bar?.number ?? 0) }
  }

  /// Keys that stand for two actions on one screen: none in a sound table.
  package var conflicts: [Key] {
    byKey.filter { _, actions in
      Screen.Kind.allCases.contains { screen in
        actions.count { $0.screens?.contains(screen) ?? true } > 1
      }
    }.map(\.key)
  }

  private static let lists: Set<Screen.Kind> = [.queue, .history]

  private static let rows: [Action] = [
    Action(
      .abort, .jobs, "abort at the next safe point; again: undo",
      keys: [.character("x"), .function(9)], command: "fettle abort JOB",
      bar: Action.BarPlace("Abort", 9),
      flags: [.changes, .dangerous]),
    Action(
      .cleanUp, .jobs, "clean up ended jobs: free their files",
      keys: [.character("c"), .function(8)], command: "fettle cleanup JOB",
      bar: Action.BarPlace("Clean", 8), flags: [.changes]),
    Action(
      .cleanUpFinished, .jobs, "clean up all ended jobs", keys: [.character("C")],
      command: "fettle cleanup --finished", flags: [.changes, .dangerous]),
    Action(
      .retry, .jobs, "retry what did not succeed", keys: [.character("r")],
      command: "fettle retry JOB", flags: [.changes]),
    Action(.tag, .jobs, "tag the job and step down", keys: [.character(" ")], on: lists),
    Action(.tagAll, .jobs, "tag all jobs shown", keys: [.character("*")], on: lists),
    Action(.untagAll, .jobs, "remove all tags", keys: [.character("u")], on: lists),
    Action(.moveUp, .moving, "up", keys: [.up, .character("k")]),
    Action(.moveDown, .moving, "down", keys: [.down, .character("j")]),
    Action(.pageUp, .moving, "a page up", keys: [.pageUp, .control("b")]),
    Action(.pageDown, .moving, "a page down", keys: [.pageDown, .control("f")]),
    Action(.first, .moving, "to the top", keys: [.character("g"), .home]),
    Action(.last, .moving, "to the end; a log follows again", keys: [.character("G"), .end]),
    Action(
      .find, .moving, "find in the list or log", keys: [.character("/"), .function(3)],
      bar: Action.BarPlace("Find", 3)),
    Action(.findNext, .moving, "next match", keys: [.character("n")]),
    Action(.findPrevious, .moving, "previous match", keys: [.character("N")]),
    Action(
      .open, .screens, "open: job, then its log", keys: [.enter, .character("l"), .right],
      command: "fettle show JOB"),
    Action(.back, .screens, "back one level", keys: [.escape, .character("h"), .left]),
    Action(.showQueue, .screens, "the queue", keys: [.character("1")], command: "fettle jobs"),
    Action(
      .showJob, .screens, "the selected job", keys: [.character("2")], command: "fettle show JOB"),
    Action(
      .showLog, .screens, "the selected job's log", keys: [.character("3")],
      command: "fettle log JOB"),
    Action(
      .showHistory, .screens, "ended jobs", keys: [.character("4")], command: "fettle history"),
    Action(.nextScreen, .screens, "next screen", keys: [.tab]),
    Action(.previousScreen, .screens, "previous screen", keys: [.backTab]),
    Action(
      .filter, .display, "show only jobs that match", keys: [.character("\\"), .function(4)],
      command: "fettle jobs --state", bar: Action.BarPlace("Filter", 4, short: "filt"), on: lists),
    Action(
      .follow, .display, "follow the running job, or the log", keys: [.character("f")],
      command: "fettle watch"),
    Action(.pauseDisplay, .display, "hold the display; jobs go on", keys: [.character("z")]),
    Action(.copyRow, .display, "copy the job's line", keys: [.character("y")]),
    Action(.repaint, .display, "repaint the screen", keys: [.control("l")]),
    Action(
      .help, .program, "this page", keys: [.character("?"), .function(1)], command: "fettle --help",
      bar: Action.BarPlace("Help", 1)),
    Action(.reconnect, .program, "connect to the engine again", keys: [.character("R")]),
    Action(.suspend, .program, "to the shell; fg comes back", keys: [.control("z")]),
    Action(
      .quit, .program, "leave, jobs go on; q goes back first",
      keys: [.character("q"), .function(10), .control("c")], bar: Action.BarPlace("Quit", 10)),
  ]
}

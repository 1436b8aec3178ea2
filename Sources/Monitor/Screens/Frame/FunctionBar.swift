import Canvas

/// The function bar of a screen: its keys and their columns.
///
/// If the window is too narrow for all keys, the most needed ones stay: help, back, abort, clean
/// up, find, quit.
struct FunctionBar: Sendable {
  /// One key and its label.
  struct Item: Sendable {
    /// The action; nil for a key that is only named and cannot be clicked.
    let action: Action?
    let key: String
    let label: String
    let isDisabled: Bool
    var columns: Range<Int>
  }

  /// A key that may be named.
  private struct Candidate {
    var item: Item
    /// Importance; the highest weights are named first.
    var weight: Int
    /// Position if all keys are named.
    var place: Int
  }

  /// The items from left to right; items without room are left out.
  private(set) var items: [Item] = []

  init(_ state: MonitorState, columns: Int) {
    let gap = columns >= 100 ? 2 : 1
    let all = Self.actions(state, columns: columns) + Self.hints(state)
    var used = -gap
    var chosen: [Candidate] = []
    for candidate in all.sorted(by: { ($0.weight, $1.place) > ($1.weight, $0.place) }) {
      let width = candidate.item.key.count + candidate.item.label.count
      guard used + gap + width <= columns else { continue }
      used += gap + width
      chosen.append(candidate)
    }
    // Numbered keys stay in their order; letters are ordered by importance.
    let isNumbered = columns >= 60 && state.preferences.barStyle != .letters
    if chosen.count == all.count || isNumbered { chosen.sort { $0.place < $1.place } }
    var column = 0
    for candidate in chosen {
      var item = candidate.item
      let width = item.key.count + item.label.count
      item.columns = column..<column + width
      items.append(item)
      column += width + gap
    }
  }

  /// The actions with a place in the bar.
  private static func actions(_ state: MonitorState, columns: Int) -> [Candidate] {
    let isWide = columns >= 60
    // On the compose screen letters are text.
    let isTyped = state.screen == .compose
    let style = isTyped ? .functionKeys : state.preferences.barStyle
    let isTiny = FrameLayout.hasTinyBar(state.size)
    return state.actions.functionBar(on: state.keyScreen).compactMap { action in
      guard let bar = action.bar, !action.keys.isEmpty, state.isOffered(action) else { return nil }
      if isTiny, action.id != .help, action.id != .quit { return nil }
      // Only keys that are bound to the action: settings may have changed them.
      let hasFunctionKey = action.keys.contains(.function(bar.number))
      var label = action.id == .abort && state.abortKeyCancelsAbort ? "Cancel abort" : bar.label
      if action.id == .replayPlay, state.replay?.isPlaying ?? false { label = "Pause" }
      let letter = Self.letter(of: action)
      var key =
        switch style {
        case .letters: letter
        case _ where !hasFunctionKey: letter
        case .functionKeys: isWide || isTyped ? "F\(bar.number)" : letter
        case .both: isWide ? "F\(bar.number)/\(letter)" : letter
        }
      let isSpaced = columns >= 100 || isTiny || (key == letter && key.last?.isLetter ?? false)
      if isSpaced { key += " " }
      let item = Item(
        action: action, key: key, label: isWide ? label : bar.short,
        isDisabled: state.disabledReason(action) != nil || state.isInapplicable(action.id),
        columns: 0..<0)
      return Candidate(item: item, weight: Self.weight(of: action.id), place: bar.number)
    }
  }

  /// Keys of this screen that have no function key.
  private static func hints(_ state: MonitorState) -> [Candidate] {
    func hint(_ text: String, _ weight: Int, _ place: Int, _ id: Action.ID? = nil) -> Candidate {
      let item = Item(
        action: id.flatMap { state.actions.action($0) }, key: "", label: text, isDisabled: false,
        columns: 0..<0)
      return Candidate(item: item, weight: weight, place: 100 + place)
    }
    switch state.screen {
    case _ where state.replay != nil:
      return [hint("\(state.leavingKey) Leave", 97, 0, .leaveReplay)]
    case .compose:
      return [
        hint(state.draft.isReady ? "Enter Submit" : "Enter Plan", 98, 0), hint("Tab Next", 60, 1),
        hint("Esc Back", 97, 2),
      ]
    case .settings:
      return [hint("Left Right Change", 94, 0), hint("Esc Back", 97, 2, .back)]
        + (state.actions.columnKeys.map { [hint("\($0) Move", 60, 1)] } ?? [])
    case .queue, .history: return []
    case .job, .log, .timeline: return [hint("Esc Back", 97, 0, .back)]
    }
  }

  /// The importance of naming a key; the same on every screen.
  private static func weight(of action: Action.ID) -> Int {
    switch action {
    case .help: 99
    case .abort: 95
    case .replayPlay: 93
    case .cleanUp: 90
    case .retry: 88
    case .repair: 94
    case .nextProblem: 72
    case .replay: 65
    case .find: 85
    case .quit: 80
    case .holdJob: 75
    case .filter: 70
    case .sort: 55
    case .tree: 50
    default: 40
    }
  }

  /// The column after the last item.
  var end: Int { items.last.map { $0.columns.upperBound } ?? 0 }

  private static func letter(of action: Action) -> String {
    let key = action.keys.first { key in
      if case .function = key { false } else { true }
    }
    return (key ?? action.keys.first)?.name ?? ""
  }
}

/// The tabs: the screens with a number, and their columns.
struct TabLine: Sendable {
  /// One tab.
  struct Item: Sendable {
    let kind: Screen.Kind
    let text: String
    let columns: Range<Int>
  }

  let items: [Item]

  init(_ present: Screen.Kind) {
    var items: [Item] = []
    var column = 1
    for (index, kind) in Screen.Kind.tabs.enumerated() {
      let name = "\(index + 1) \(kind.title)"
      let text = kind == present ? "[\(name)]" : " \(name) "
      items.append(Item(kind: kind, text: text, columns: column..<column + text.count))
      column += text.count + 1
    }
    self.items = items
  }
}

import Canvas

/// The function bar of a screen: which keys it names, and in which columns.
struct FunctionBar: Sendable {
  /// One key and its label.
  struct Item: Sendable {
    let action: Action
    let key: String
    let label: String
    let isDisabled: Bool
    let columns: Range<Int>
  }

  /// The items from left to right; what has no room is left out.
  private(set) var items: [Item] = []

  init(_ state: MonitorState, columns: Int) {
    let isWide = columns >= 60
    // Letters are text where one writes.
    let isTyped = state.screen == .compose
    let style = isTyped ? .functionKeys : state.preferences.barStyle
    var column = 0
    for action in state.actions.functionBar(on: state.keyScreen) {
      guard let bar = action.bar else { continue }
      // Only keys that do it: settings may have bound others.
      let hasFunctionKey = action.keys.contains(.function(bar.number))
      guard !action.keys.isEmpty else { continue }
      var label = action.id == .abort && state.abortTakesBack ? "Undo abort" : bar.label
      if action.id == .replayPlay, state.replay?.isPlaying ?? false { label = "Pause" }
      let letter = Self.letter(of: action)
      var key =
        switch style {
        case .letters: letter
        case _ where !hasFunctionKey: letter
        case .functionKeys: isWide || isTyped ? "F\(bar.number)" : letter
        case .both: isWide ? "F\(bar.number)/\(letter)" : letter
        }
      let isSpaced = columns >= 100 || (key == letter && key.last?.isLetter ?? false)
      if isSpaced { key += " " }
      let text = isWide ? label : bar.short
      let width = key.count + text.count
      guard column + width <= columns else { break }
      items.append(
        Item(
          action: action, key: key, label: text,
          isDisabled: state.disabledReason(action) != nil || state.isPointless(action.id),
          columns: column..<column + width))
      column += width + (columns >= 100 ? 2 : 1)
    }
  }

  /// The column behind the last item.
  var end: Int { items.last.map { $0.columns.upperBound } ?? 0 }

  private static func letter(of action: Action) -> String {
    let key = action.keys.first { key in
      if case .function = key { false } else { true }
    }
    return (key ?? action.keys.first)?.name ?? ""
  }
}

/// The tabs: the screens that have a number, and in which columns they are named.
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

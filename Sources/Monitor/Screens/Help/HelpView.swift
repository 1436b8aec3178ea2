import Canvas

/// The open help: its scroll position and its search.
struct HelpView: Sendable, Hashable {
  /// The first line shown.
  var top = 0
  /// The search text being typed; nil while keys scroll.
  var prompt: Prompt?
  /// The search text; empty for no search.
  private(set) var needle = ""
  /// The index of the match visited last.
  private(set) var found = 0

  mutating func search(for words: String) {
    needle = words
    found = 0
  }

  /// Goes to a match, counted from 0 and around the ends.
  mutating func go(to match: Int, of count: Int) {
    found = count > 0 ? (match % count + count) % count : 0
  }
}

extension MonitorState {
  /// Handles a key while help is open: it scrolls or searches; any other key closes help.
  mutating func handleHelpKey(_ key: Key, _ view: HelpView) -> [Intent] {
    if let prompt = view.prompt { return handleHelpPromptKey(key, prompt) }
    if key == .escape, !view.needle.isEmpty {
      help?.search(for: "")
      return []
    }
    // Help has the keys of a list on every screen.
    let action = actions.action(for: key, on: .queue)?.id
    let page = HelpPage(self, size: size)
    switch action {
    case .moveDown: help?.top = page.top + 1
    case .moveUp: help?.top = max(0, page.top - 1)
    case .pageDown: help?.top = page.top + page.rows
    case .pageUp: help?.top = max(0, page.top - page.rows)
    case .halfPageDown: help?.top = page.top + max(1, page.rows / 2)
    case .halfPageUp: help?.top = max(0, page.top - max(1, page.rows / 2))
    case .first: help?.top = 0
    case .last: help?.top = page.lastTop
    case .find: help?.prompt = Prompt(.find)
    case .findNext: goToMatch(view.found + 1)
    case .findPrevious: goToMatch(view.found - 1)
    case .quit where key != .character("q"): return [.quit]
    default: help = nil
    }
    if let top = help?.top { help?.top = min(top, page.lastTop) }
    return []
  }

  private mutating func handleHelpPromptKey(_ key: Key, _ prompt: Prompt) -> [Intent] {
    var prompt = prompt
    switch prompt.handle(key) {
    case .typing, .completing: help?.prompt = prompt
    case .cancelled: help?.prompt = nil
    case .accepted:
      help?.prompt = nil
      help?.search(for: prompt.text)
      let page = HelpPage(self, size: size)
      // The first match from the top line shown on, else the first match.
      goToMatch(page.matches.firstIndex { $0.line >= page.top } ?? 0)
    }
    return []
  }

  private mutating func goToMatch(_ match: Int) {
    let page = HelpPage(self, size: size)
    help?.go(to: match, of: page.matches.count)
    guard let found = help?.found, page.matches.indices.contains(found) else { return }
    let line = page.matches[found].line
    if !(page.top..<page.top + page.rows).contains(line) {
      help?.top = min(max(0, line - page.rows / 3), page.lastTop)
    }
  }
}

/// A line being typed in place of the message line.
struct Prompt: Sendable, Hashable {
  /// What the line is for.
  enum Purpose: Sendable, Hashable {
    case filter
    case find
    case command
  }

  /// What becomes of the line after a key.
  enum Outcome: Sendable, Hashable {
    case typing
    case accepted
    case cancelled
    /// Tab in a command: complete it.
    case completing
  }

  let purpose: Purpose
  /// What stood in the line when it was opened.
  let before: String
  private var line: LineEdit

  init(_ purpose: Purpose, text: String = "") {
    self.purpose = purpose
    before = text
    line = LineEdit(text)
  }

  /// What was typed.
  var text: String { line.text }
  /// Whether the cursor stands at the end.
  var isAtEnd: Bool { line.cursor == line.text.count }
  /// The part that fits `columns` columns, and the cursor's column in it.
  func window(columns: Int) -> (text: String, cursor: Int) { line.window(columns: columns) }

  /// The word in front of the line.
  var label: String {
    switch purpose {
    case .filter: "Filter: "
    case .find: "Find: "
    case .command: ":"
    }
  }

  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .enter: return .accepted
    case .tab: return purpose == .command ? .completing : .accepted
    case .escape, .control("c"): return .cancelled
    // A command line that was emptied is left, as in editors.
    case .backspace where purpose == .command && text.isEmpty: return .cancelled
    default:
      _ = line.take(key)
      return .typing
    }
  }

  /// Puts pasted text in, without controls; a line end is a space.
  mutating func insert(_ pasted: String) { line.insert(pasted) }

  /// Puts another text in place of all that was typed.
  mutating func replace(with text: String) { line = LineEdit(text) }
}

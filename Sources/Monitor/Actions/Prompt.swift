import Canvas

/// A line being typed in place of the message line.
struct Prompt: Sendable, Hashable {
  /// The use of the line.
  enum Purpose: Sendable, Hashable {
    case filter
    case find
    case command
  }

  /// The effect of a key on the line.
  enum Outcome: Sendable, Hashable {
    case typing
    case accepted
    case cancelled
    /// Tab in a command or a filter completes forward, Shift-Tab backward.
    case completing(forward: Bool)
  }

  let purpose: Purpose
  /// The text of the line when it was opened.
  let before: String
  private var line: LineEdit
  /// The completions that Tab cycles through; nil before Tab, and after any other key.
  private(set) var completion: Completion?

  init(_ purpose: Purpose, text: String = "") {
    self.purpose = purpose
    before = text
    line = LineEdit(text)
  }

  /// The typed text.
  var text: String { line.text }
  /// Whether the cursor is at the end.
  var isAtEnd: Bool { line.cursor == line.text.count }
  /// The part that fits `columns` columns, and the cursor's column in it.
  func window(columns: Int) -> (text: String, cursor: Int) { line.window(columns: columns) }

  /// The label in front of the line.
  var label: String {
    switch purpose {
    case .filter: "Filter: "
    case .find: "Find: "
    case .command: ":"
    }
  }

  mutating func handle(_ key: Key) -> Outcome {
    switch key {
    case .enter: return .accepted
    // A search has no completions.
    case .tab: return purpose == .find ? .typing : .completing(forward: true)
    case .backTab: return purpose == .find ? .typing : .completing(forward: false)
    case .escape, .control("c"): return .cancelled
    // Backspace in an empty command line closes it, as in editors.
    case .backspace where purpose == .command && text.isEmpty: return .cancelled
    default:
      completion = nil
      _ = line.handle(key)
      return .typing
    }
  }

  /// Inserts pasted text without control characters; a line end becomes a space.
  mutating func insert(_ pasted: String) {
    completion = nil
    line.insert(pasted)
  }

  /// Completes the line, or replaces the completion by the next one.
  ///
  /// - Parameters:
  ///   - forward: Whether to go to the next completion; otherwise to the previous one.
  ///   - candidates: Returns the completions of a text; called at the first Tab only.
  mutating func complete(forward: Bool, _ candidates: (String) -> [CommandLine.Candidate]) {
    var next = completion ?? Completion(typed: text, candidates(text))
    guard !next.candidates.isEmpty else { return }
    next.step(forward: forward)
    line = LineEdit(next.line)
    // A single completion is final: the next Tab completes the following word.
    completion = next.candidates.count > 1 ? next : nil
  }

  /// The completions of a line, and the one in use.
  struct Completion: Sendable, Hashable {
    let candidates: [CommandLine.Candidate]
    /// The index of the completion in the line; nil for the typed text.
    private(set) var index: Int?
    private let typed: String

    fileprivate init(typed: String, _ candidates: [CommandLine.Candidate]) {
      self.typed = typed
      self.candidates = candidates
    }

    /// The current line.
    fileprivate var line: String { index.map { candidates[$0].line } ?? typed }

    /// Steps through the completions and the typed text, around the ends.
    fileprivate mutating func step(forward: Bool) {
      let last = candidates.count - 1
      index =
        switch index {
        case nil: forward ? 0 : last
        case let here?: forward ? (here < last ? here + 1 : nil) : (here > 0 ? here - 1 : nil)
        }
    }
  }
}

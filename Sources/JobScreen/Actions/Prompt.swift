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
    /// Tab in a command or a filter: complete it; Shift-Tab goes the other way.
    case completing(forward: Bool)
  }

  let purpose: Purpose
  /// What stood in the line when it was opened.
  let before: String
  private var line: LineEdit
  /// What Tab goes through; nil until it is pressed, and after any other key.
  private(set) var completion: Completion?

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

  mutating func handle(_ key: Key) -> Outcome {
    switch key {
    case .enter: return .accepted
    // Words to find have nothing to complete.
    case .tab: return purpose == .find ? .typing : .completing(forward: true)
    case .backTab: return purpose == .find ? .typing : .completing(forward: false)
    case .escape, .control("c"): return .cancelled
    // A command line that was emptied is left, as in editors.
    case .backspace where purpose == .command && text.isEmpty: return .cancelled
    default:
      completion = nil
      _ = line.handle(key)
      return .typing
    }
  }

  /// Puts pasted text in, without controls; a line end is a space.
  mutating func insert(_ pasted: String) {
    completion = nil
    line.insert(pasted)
  }

  /// Completes the line, or goes on to the next of several ways to do so.
  ///
  /// - Parameters:
  ///   - forward: Whether to the next one, not to the one before.
  ///   - candidates: The ways to complete what was typed, asked for at the first of the keys.
  mutating func complete(forward: Bool, _ candidates: (String) -> [CommandLine.Candidate]) {
    var next = completion ?? Completion(typed: text, candidates(text))
    guard !next.candidates.isEmpty else { return }
    next.step(forward: forward)
    line = LineEdit(next.line)
    // With one way there is nothing to go through: Tab then completes what comes behind it.
    completion = next.candidates.count > 1 ? next : nil
  }

  /// The ways in which a line could go on, and which of them stands in it.
  struct Completion: Sendable, Hashable {
    let candidates: [CommandLine.Candidate]
    /// The one in the line; nil for what was typed.
    private(set) var index: Int?
    private let typed: String

    fileprivate init(typed: String, _ candidates: [CommandLine.Candidate]) {
      self.typed = typed
      self.candidates = candidates
    }

    /// The line as it is now.
    fileprivate var line: String { index.map { candidates[$0].line } ?? typed }

    /// Goes through the candidates and what was typed, round the ends.
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

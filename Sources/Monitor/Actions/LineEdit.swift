import Canvas

/// An editable line of text with a cursor.
struct LineEdit: Sendable, Hashable {
  /// The text.
  private(set) var text: String
  /// Number of characters before the cursor.
  private(set) var cursor: Int

  /// Maximum number of characters; further input is dropped.
  static let capacity = 2000

  init(_ text: String = "") {
    self.text = text
    cursor = text.count
  }

  /// Handles an editing key; returns whether `key` is one.
  mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .backspace, .control("h"): remove(cursor - 1..<cursor)
    case .delete: remove(cursor..<cursor + 1)
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(text.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = text.count
    case .control("u"): remove(0..<cursor)
    case .control("k"): remove(cursor..<text.count)
    case .control("w"): remove(wordStart..<cursor)
    default: return false
    }
    return true
  }

  /// Inserts text at the cursor without control characters; a line end or tab becomes a space.
  mutating func insert(_ pasted: String) {
    let line = String(pasted.map { $0.isNewline || $0 == "\t" ? " " : $0 })
    // A line end at the end of the text does not separate words.
    let end = pasted.last?.isNewline ?? false ? String(line.dropLast()) : line
    let printable = String.UnicodeScalarView(
      end.unicodeScalars.filter { $0.properties.generalCategory != .control })
    let added = String(String(printable).prefix(max(0, Self.capacity - text.count)))
    let before = text.count
    text.insert(contentsOf: added, at: text.index(text.startIndex, offsetBy: cursor))
    // A combining mark joins the character in front, so the text may grow by less than was added.
    cursor = min(text.count, cursor + max(0, text.count - before))
  }

  /// The part of the text that fits `columns` columns and contains the cursor.
  ///
  /// - Returns: The text, and the cursor's column in it.
  func window(columns: Int) -> (text: String, cursor: Int) {
    let characters = Array(text)
    var (first, before) = (cursor, 0)
    // Moves back from the cursor while there is room; the cursor takes one column.
    while first > 0 {
      let width = TextWidth.columns(String(characters[first - 1]))
      guard before + width < columns else { break }
      before += width
      first -= 1
    }
    return (String(characters[first...].prefix(max(1, columns))), before)
  }

  private var wordStart: Int {
    var start = cursor
    let characters = Array(text)
    while start > 0, characters[start - 1] == " " { start -= 1 }
    while start > 0, characters[start - 1] != " " { start -= 1 }
    return start
  }

  private mutating func remove(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<text.count)
    guard !range.isEmpty else { return }
    let start = text.index(text.startIndex, offsetBy: range.lowerBound)
    text.removeSubrange(start..<text.index(start, offsetBy: range.count))
    cursor = range.lowerBound
  }
}

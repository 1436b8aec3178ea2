import Canvas
import ThemeCatalog

/// One part of a line that may be too narrow for all its parts.
///
/// Whole parts are left out, the least important first; only names are shortened.
struct LinePart: Sendable, Hashable {
  /// The variants of its text, longest first.
  var texts: [String]
  var role: Role
  /// Importance: the part with the lowest weight is left out first.
  var weight: Int
  /// Whether the text is a name or user input, which stays useful when cut at the end.
  var isName: Bool
  /// The separator in front of this part.
  var separator: String

  init(
    _ texts: String..., role: Role = .text, weight: Int, isName: Bool = false, joint: String = "  "
  ) {
    self.init(texts, role: role, weight: weight, isName: isName, joint: joint)
  }

  init(
    _ texts: [String], role: Role = .text, weight: Int, isName: Bool = false, joint: String = "  "
  ) {
    self.texts = texts
    self.role = role
    self.weight = weight
    self.isName = isName
    self.separator = joint
  }
}

/// The parts of a line that fit; each has exactly one text.
struct FittedLine: Sendable, Hashable {
  private(set) var parts: [LinePart]

  /// Columns that a shortened name keeps at least.
  private static let minimumNameColumns = 4

  /// - Parameters:
  ///   - parts: From left to right; parts without text are left out.
  ///   - columns: Width of the line.
  ///   - look: The character set for the texts.
  init(_ parts: [LinePart], columns: Int, look: DrawStyle) {
    self.parts = parts.compactMap { part in
      var shown = part
      shown.texts = part.texts.map(look.shown)
      return shown.texts.first?.isEmpty ?? true ? nil : shown
    }
    while self.columns > columns, let index = leastImportant {
      let others = self.columns - TextWidth.columns(self.parts[index].text)
      if self.parts[index].texts.count > 1 {
        self.parts[index].texts.removeFirst()
      } else if self.parts[index].isName, columns - others >= Self.minimumNameColumns {
        let text = truncated(self.parts[index].text, to: columns - others, marker: look.marker)
        self.parts[index].texts = [text]
      } else {
        self.parts.remove(at: index)
      }
    }
  }

  /// The next part to shorten or leave out: the one with the lowest weight, the last one of equals.
  private var leastImportant: Int? {
    parts.indices.reversed().min { parts[$0].weight < parts[$1].weight }
  }

  /// Width of the line in columns.
  var columns: Int { TextWidth.columns(text) }

  /// The whole line as text.
  var text: String {
    parts.enumerated().map { $0 == 0 ? $1.text : $1.separator + $1.text }.joined()
  }
}

extension LinePart {
  fileprivate var text: String { texts.first ?? "" }

  /// Draws the part and returns the column after it.
  fileprivate func draw(_ painter: inout Painter, _ column: Int, _ row: Int, isFirst: Bool) -> Int {
    let start = isFirst ? column : painter.put(separator, column, row, jointRole)
    return painter.put(text, start, row, role)
  }

  /// A separator line has its own role.
  private var jointRole: Role { separator.contains("─") ? .textDim : role }
}

extension Painter {
  /// The parts that fit between two columns.
  func fitted(_ parts: [LinePart], columns: Int) -> FittedLine {
    FittedLine(parts, columns: columns, look: look)
  }

  /// Draws the parts of a line from `column` on and returns the column after them.
  @discardableResult
  mutating func put(_ line: FittedLine, _ column: Int, _ row: Int) -> Int {
    var next = column
    for (index, part) in line.parts.enumerated() {
      next = part.draw(&self, next, row, isFirst: index == 0)
    }
    return next
  }

  /// Draws the parts that fit between `column` and `end` and returns the column after them.
  @discardableResult
  mutating func put(_ parts: [LinePart], _ column: Int, _ row: Int, to end: Int) -> Int {
    put(fitted(parts, columns: end - column), column, row)
  }
}

import Canvas
import ThemeCatalog

/// One part of a line that may not have room for all of its parts.
///
/// Whole parts leave then, the least important first; only names are ever cut.
struct LinePart: Sendable, Hashable {
  /// What it says, the longest way first.
  var texts: [String]
  var role: Role
  /// How important it is: of two parts the one with less leaves first.
  var weight: Int
  /// Whether it is a name or what a person wrote, of which the beginning tells something.
  var isName: Bool
  /// What stands between it and the part in front of it.
  var joint: String

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
    self.joint = joint
  }
}

/// The parts of a line that fit, each with the one text that it is drawn with.
struct FittedLine: Sendable, Hashable {
  private(set) var parts: [LinePart]

  /// Columns that a name keeps at least when it is cut.
  private static let leastName = 4

  /// - Parameters:
  ///   - parts: From the left; those without a text are left out.
  ///   - columns: The room.
  ///   - look: What the texts look like.
  init(_ parts: [LinePart], columns: Int, look: DrawStyle) {
    self.parts = parts.compactMap { part in
      var shown = part
      shown.texts = part.texts.map(look.shown)
      return shown.texts.first?.isEmpty ?? true ? nil : shown
    }
    while self.columns > columns, let index = lightest {
      let others = self.columns - TextWidth.columns(self.parts[index].text)
      if self.parts[index].texts.count > 1 {
        self.parts[index].texts.removeFirst()
      } else if self.parts[index].isName, columns - others >= Self.leastName {
        let text = truncated(self.parts[index].text, to: columns - others, marker: look.marker)
        self.parts[index].texts = [text]
      } else {
        self.parts.remove(at: index)
      }
    }
  }

  /// The part that gives way next: of equally light ones the last.
  private var lightest: Int? {
    parts.indices.reversed().min { parts[$0].weight < parts[$1].weight }
  }

  /// The columns that it takes.
  var columns: Int { TextWidth.columns(text) }

  /// The whole line as text.
  var text: String {
    parts.enumerated().map { $0 == 0 ? $1.text : $1.joint + $1.text }.joined()
  }
}

extension LinePart {
  fileprivate var text: String { texts.first ?? "" }

  /// Draws it and returns the column behind it.
  fileprivate func draw(_ painter: inout Painter, _ column: Int, _ row: Int, isFirst: Bool) -> Int {
    let start = isFirst ? column : painter.put(joint, column, row, jointRole)
    return painter.put(text, start, row, role)
  }

  /// A line between two parts is no part of either.
  private var jointRole: Role { joint.contains("─") ? .textDim : role }
}

extension Painter {
  /// The parts that fit between two columns.
  func fitted(_ parts: [LinePart], columns: Int) -> FittedLine {
    FittedLine(parts, columns: columns, look: look)
  }

  /// Draws parts of a line from `column` on and returns the column behind them.
  @discardableResult
  mutating func put(_ line: FittedLine, _ column: Int, _ row: Int) -> Int {
    var next = column
    for (index, part) in line.parts.enumerated() {
      next = part.draw(&self, next, row, isFirst: index == 0)
    }
    return next
  }

  /// Draws those of the parts that fit between `column` and `end`.
  @discardableResult
  mutating func put(_ parts: [LinePart], _ column: Int, _ row: Int, to end: Int) -> Int {
    put(fitted(parts, columns: end - column), column, row)
  }
}

/// One cell of a canvas.
package struct Cell: Sendable, Hashable {
  /// The base character; a space where nothing is drawn.
  package var base: Unicode.Scalar
  /// Combining marks on the base; nearly always none.
  package var marks: CombiningMarks
  /// 1, 2 for the left half of a wide character, 0 for the right half that it covers.
  package var width: UInt8
  /// How the cell looks; both halves of a wide character share it.
  package var style: Style

  /// A cell; a space in the terminal's own look unless told otherwise.
  package init(
    _ base: Unicode.Scalar = " ", marks: CombiningMarks = [], width: UInt8 = 1,
    style: Style = .plain
  ) {
    self.base = base
    self.marks = marks
    self.width = width
    self.style = style
  }
}

/// A grid of cells: all that drawing can do, and all that a terminal needs to show.
package struct Canvas: Sendable, Hashable {
  /// Its columns and rows, at least 0 each.
  package let size: Size
  /// Row by row, `size.columns * size.rows` in all.
  package internal(set) var cells: [Cell]
  /// Where the cursor is shown; nil hides it.
  package var cursor: Point?

  /// An empty canvas; negative sizes count as 0.
  package init(size: Size) {
    self.size = Size(columns: max(0, size.columns), rows: max(0, size.rows))
    cells = Array(repeating: Cell(), count: self.size.columns * self.size.rows)
  }

  /// The cell at `point`, which must lie inside.
  package subscript(point: Point) -> Cell {
    get { cells[point.row * size.columns + point.column] }
    set { cells[point.row * size.columns + point.column] = newValue }
  }
}

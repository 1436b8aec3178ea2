/// One cell of a canvas.
package struct Cell: Sendable, Hashable {
  /// The base character; a space in an empty cell.
  package var base: Unicode.Scalar
  /// Combining marks on the base; most cells have none.
  package var marks: CombiningMarks
  /// Number of columns: 1; 2 for the left half of a wide character, 0 for its right half.
  package var width: UInt8
  /// The style; both halves of a wide character have the same.
  package var style: Style

  /// A cell; by default a space in the terminal's own style.
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

/// A grid of cells, on which views draw and which a terminal shows.
package struct Canvas: Sendable, Hashable {
  /// The columns and rows, at least 0 each.
  package let size: Size
  /// The cells row by row, `size.columns * size.rows` in all.
  package internal(set) var cells: [Cell]
  /// The position of the cursor; nil hides it.
  package var cursor: Point?

  /// An empty canvas; negative sizes count as 0.
  package init(size: Size) {
    self.size = Size(columns: max(0, size.columns), rows: max(0, size.rows))
    cells = Array(repeating: Cell(), count: self.size.columns * self.size.rows)
  }

  /// The cell at `point`, which must lie inside the canvas.
  package subscript(point: Point) -> Cell {
    get { cells[point.row * size.columns + point.column] }
    set { cells[point.row * size.columns + point.column] = newValue }
  }
}

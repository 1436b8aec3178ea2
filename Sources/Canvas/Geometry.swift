/// A size in terminal cells.
package struct Size: Sendable, Hashable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// The position of a cell: column and row from 0; the top left corner is (0, 0).
package struct Point: Sendable, Hashable {
  package var column: Int
  package var row: Int

  package init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }
}

/// A rectangle of cells; it may be empty and may lie partly outside a canvas.
package struct Rect: Sendable, Hashable {
  package var origin: Point
  package var size: Size

  package init(column: Int, row: Int, columns: Int, rows: Int) {
    origin = Point(column: column, row: row)
    size = Size(columns: max(0, columns), rows: max(0, rows))
  }
}

extension Rect {
  /// The columns of the rectangle.
  package var columnRange: Range<Int> { origin.column..<origin.column + size.columns }

  /// The rows of the rectangle.
  package var rowRange: Range<Int> { origin.row..<origin.row + size.rows }

  /// Whether the rectangle has no cells.
  package var isEmpty: Bool { size.columns == 0 || size.rows == 0 }

  /// Whether `point` lies in the rectangle.
  package func contains(_ point: Point) -> Bool {
    columnRange.contains(point.column) && rowRange.contains(point.row)
  }

  /// The cells in both rectangles; an empty rectangle if there are none.
  package func intersection(_ other: Rect) -> Rect {
    let columns = columnRange.clamped(to: other.columnRange)
    let rows = rowRange.clamped(to: other.rowRange)
    return Rect(
      column: columns.lowerBound, row: rows.lowerBound, columns: columns.count, rows: rows.count)
  }

  /// One row of the rectangle, counted from its top; empty if there is no such row.
  package func row(_ index: Int) -> Rect {
    Rect(
      column: origin.column, row: origin.row + index, columns: size.columns,
      rows: index >= 0 && index < size.rows ? 1 : 0)
  }
}

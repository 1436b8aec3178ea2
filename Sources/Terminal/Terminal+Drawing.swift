import CNcurses
import Canvas

/// Drawing of cells with ncurses.
extension Terminal {
  /// Writes the cells that differ from the last frame to ncurses' virtual screen.
  ///
  /// - Returns: Whether any cell differs.
  func draw(_ canvas: Canvas, isWhole: Bool) -> Bool {
    var differs = isWhole
    let columns = canvas.size.columns
    let old = isWhole ? nil : shown
    for row in 0..<min(canvas.size.rows, size.rows) {
      let cells = canvas.cells[row * columns..<(row + 1) * columns]
      let oldCells = old?.cells[row * columns..<(row + 1) * columns]
      if let oldCells, oldCells == cells { continue }
      differs = true
      // Half a wide character cannot be replaced, so a row with wide characters is written as a
      // whole.
      let hasWide =
        cells.contains { $0.width != 1 } || oldCells?.contains { $0.width != 1 } ?? false
      let shownColumns = min(columns, size.columns)
      for column in 0..<shownColumns {
        let index = row * columns + column
        let cell = cells[index]
        if !hasWide, let oldCells, oldCells[index] == cell { continue }
        put(cell, row: row, column: column, columns: shownColumns)
      }
    }
    return differs
  }

  private func put(_ cell: Cell, row: Int, column: Int, columns: Int) {
    guard cell.width > 0 else { return }
    let pair = pairs.pair(for: cell.style)
    let attributes = Self.attributes(cell.style.attributes)
    let width = Int(cell.width)
    if isShowable(cell), column + width <= columns {
      let marks = cell.marks
      let mark = { (index: Int) in index < marks.count ? marks[index].value : 0 }
      cn_put(
        Int32(row), Int32(column), cell.base.value, mark(0), mark(1), mark(2), mark(3), attributes,
        pair)
    } else {
      for place in column..<min(column + width, columns) {
        cn_put(Int32(row), Int32(place), 0x3f, 0, 0, 0, 0, attributes, pair)
      }
    }
  }

  private func isShowable(_ cell: Cell) -> Bool {
    let value = cell.base.value
    if value >= 0x20, value < 0x7f, cell.marks.isEmpty { return cell.width == 1 }
    guard capabilities.isUTF8, value >= 0x20 else { return false }
    return cn_width(value) == Int32(cell.width) && cell.marks.allSatisfy { cn_width($0.value) == 0 }
  }

  private static func attributes(_ attributes: Attributes) -> UInt32 {
    var result: UInt32 = 0
    if attributes.contains(.bold) { result |= cn_bold }
    if attributes.contains(.dim) { result |= cn_dim }
    if attributes.contains(.underline) { result |= cn_underline }
    if attributes.contains(.reverse) { result |= cn_reverse }
    return result
  }
}

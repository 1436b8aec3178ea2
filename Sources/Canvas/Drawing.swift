/// The position of text in its columns.
package enum Alignment: Sendable, Hashable {
  case left
  case right
  case center
}

extension Canvas {
  /// The whole canvas.
  package var bounds: Rect {
    Rect(column: 0, row: 0, columns: size.columns, rows: size.rows)
  }

  /// Draws sanitised text on one row and returns the number of columns drawn.
  ///
  /// Text outside the canvas, `clip` or `maxColumns` is left out. If the edge cuts a wide character
  /// in half, the visible half becomes a space. If new text overwrites one half of a wide
  /// character, the other half is blanked.
  /// - Returns: The columns from `point` to the end of the text drawn, including clipped columns on
  ///   the left, so that further text can continue there.
  @discardableResult
  package mutating func draw(
    _ text: String, at point: Point, style: Style = .plain, maxColumns: Int = .max,
    clippedTo clip: Rect? = nil
  ) -> Int {
    let area = bounds.intersection(clip ?? bounds)
    guard !area.isEmpty, area.rowRange.contains(point.row), maxColumns > 0 else { return 0 }
    let left = area.columnRange.lowerBound
    let (sum, overflow) = point.column.addingReportingOverflow(maxColumns)
    let right = min(area.columnRange.upperBound, overflow ? .max : sum)
    var column = point.column
    for glyph in Sanitized(text) {
      guard column < right else { break }
      if column >= left && column + glyph.columns <= right {
        put(glyph, column: column, row: point.row, style: style)
      } else {
        for half in column..<column + glyph.columns where half >= left && half < right {
          put(.space, column: half, row: point.row, style: style)
        }
      }
      column += glyph.columns
    }
    return max(0, min(column, right) - point.column)
  }

  /// Draws text into exactly `columns` columns; a longer text is cut and ends with `marker`.
  ///
  /// Columns without text are filled with spaces in `style`.
  package mutating func draw(
    _ text: String, at point: Point, columns: Int, alignment: Alignment, style: Style = .plain,
    marker: TruncationMarker = .ellipsis, clippedTo clip: Rect? = nil
  ) {
    guard columns > 0 else { return }
    let shown = truncated(text, to: columns, marker: marker)
    let spare = columns - TextWidth.columns(shown)
    let before =
      switch alignment {
      case .left: 0
      case .right: spare
      case .center: spare / 2
      }
    let field = Rect(column: point.column, row: point.row, columns: columns, rows: 1)
    fill(field.intersection(clip ?? field), style: style)
    draw(
      shown, at: Point(column: point.column + before, row: point.row), style: style,
      maxColumns: columns - before, clippedTo: clip)
  }

  /// Fills the visible part of `rect` with a scalar that is one column wide.
  package mutating func fill(
    _ rect: Rect, with scalar: Unicode.Scalar = " ", style: Style = .plain
  ) {
    let area = rect.intersection(bounds)
    let glyph = Glyph.single(scalar)
    for row in area.rowRange {
      for column in area.columnRange { put(glyph, column: column, row: row, style: style) }
    }
  }

  /// Draws a horizontal line of `columns` cells.
  package mutating func rule(
    at point: Point, columns: Int, style: Style = .plain, lines: LineGlyphs = .light
  ) {
    fill(
      Rect(column: point.column, row: point.row, columns: columns, rows: 1),
      with: lines.horizontal, style: style)
  }

  /// Draws a frame along the inner edge of `rect`, with a title on its top line; the inside is
  /// unchanged.
  package mutating func frame(
    _ rect: Rect, style: Style = .plain, title: String = "", titleStyle: Style? = nil,
    lines: LineGlyphs = .light
  ) {
    guard rect.size.columns >= 2, rect.size.rows >= 2 else { return }
    let columns = rect.columnRange
    let rows = rect.rowRange
    let (left, right) = (columns.lowerBound, columns.upperBound - 1)
    let (top, bottom) = (rows.lowerBound, rows.upperBound - 1)
    rule(at: Point(column: left, row: top), columns: rect.size.columns, style: style, lines: lines)
    rule(
      at: Point(column: left, row: bottom), columns: rect.size.columns, style: style, lines: lines)
    for column in [left, right] {
      fill(
        Rect(column: column, row: top, columns: 1, rows: rect.size.rows), with: lines.vertical,
        style: style)
    }
    place(lines.topLeft, column: left, row: top, style: style)
    place(lines.topRight, column: right, row: top, style: style)
    place(lines.bottomLeft, column: left, row: bottom, style: style)
    place(lines.bottomRight, column: right, row: bottom, style: style)
    guard !title.isEmpty, rect.size.columns > 6 else { return }
    let shown = truncated(
      title, to: rect.size.columns - 6, marker: lines == .ascii ? .tilde : .ellipsis)
    draw(
      " " + shown + " ", at: Point(column: left + 2, row: top), style: titleStyle ?? style,
      clippedTo: rect)
  }

  /// Changes the style of every cell of `rect`; the text is unchanged.
  package mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
    let area = rect.intersection(bounds)
    for row in area.rowRange {
      for column in area.columnRange {
        change(&cells[row * size.columns + column].style)
      }
    }
  }

  /// Removes colours and attributes from `rect` and dims it, as behind a dialog.
  package mutating func dim(_ rect: Rect) {
    restyle(rect) { $0 = Style(attributes: .dim) }
  }

  private mutating func place(
    _ scalar: Unicode.Scalar, column: Int, row: Int, style: Style
  ) {
    guard bounds.contains(Point(column: column, row: row)) else { return }
    put(.single(scalar), column: column, row: row, style: style)
  }

  /// Writes one glyph inside the canvas and blanks the other halves of the wide characters it
  /// overwrites.
  mutating func put(_ glyph: Glyph, column: Int, row: Int, style: Style) {
    let index = row * size.columns + column
    let last = index + glyph.columns - 1
    if cells[index].width == 0 && column > 0 { blank(index - 1) }
    if cells[last].width == 2 && column + glyph.columns < size.columns { blank(last + 1) }
    cells[index].base = glyph.base
    cells[index].marks = glyph.marks
    cells[index].width = UInt8(truncatingIfNeeded: glyph.columns)
    cells[index].style = style
    if glyph.columns == 2 { cells[last] = Cell(" ", width: 0, style: style) }
  }

  private mutating func blank(_ index: Int) { cells[index] = Cell(style: cells[index].style) }
}

extension Glyph {
  /// A scalar as a glyph of one column; the replacement character if it is not one column wide.
  static func single(_ scalar: Unicode.Scalar) -> Glyph {
    TextWidth.of(scalar) == 1
      ? Glyph(base: scalar, marks: [], columns: 1) : .replacement
  }
}

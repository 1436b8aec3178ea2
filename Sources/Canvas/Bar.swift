/// How finely a terminal can draw bars and sparklines.
package enum BlockLevel: String, Sendable, Hashable, CaseIterable {
  /// Eighths of a cell.
  case eighth
  /// Whole and half cells, for fonts without eighths.
  case half
  case ascii
}

/// A progress bar that shows how its value is known.
///
/// It is full only when the work is done, and shows the smallest amount that the level can draw once
/// the work has started. What is measured is rounded down; steps are rounded up to a whole cell, so
/// that they never show less than the part of a cell that was measured before them.
package struct Bar: Sendable, Hashable {
  /// What is known about the work.
  package enum Value: Sendable, Hashable {
    /// A share from 0 to 1 that was measured, in bytes for example.
    case measured(Double)
    /// `done` of `total` whole steps; drawn in whole cells.
    case stepped(done: Int, of: Int)
    /// Nothing but that it goes on: a pulse that moves with `tick`, or nothing without one.
    case unknown(tick: Int?)
  }

  /// Which role a cell of a bar is drawn in.
  package enum Part: Sendable, Hashable {
    case fill
    case track
    /// The brackets of the ASCII form.
    case cap
  }

  /// One cell of a bar.
  package struct Piece: Sendable, Hashable {
    /// What is drawn; one column wide.
    package let glyph: Unicode.Scalar
    /// Which role it is drawn in.
    package let part: Part
  }

  /// What is known about the work.
  package let value: Value
  /// Whether the smallest amount is shown even at 0 %.
  package let started: Bool
  /// The cells it takes, brackets of the ASCII form included.
  package let columns: Int
  /// How finely it is drawn.
  package let level: BlockLevel

  /// A bar of `columns` cells; a negative number of them counts as 0.
  package init(
    _ value: Value, columns: Int, level: BlockLevel = .eighth, started: Bool = false
  ) {
    self.value = value
    self.columns = max(0, columns)
    self.level = level
    self.started = started
  }

  /// The cells from left to right, `columns` in all.
  package var pieces: [Piece] {
    switch level {
    case .ascii: asciiPieces
    case .eighth: blockPieces(partial: Array("▏▎▍▌▋▊▉".unicodeScalars))
    case .half: blockPieces(partial: ["▌"])
    }
  }

  /// The bar as text, for output without styles.
  package var text: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: pieces.map(\.glyph))
    return String(scalars)
  }

  private func blockPieces(partial: [Unicode.Scalar]) -> [Piece] {
    let fill = Piece(glyph: "█", part: .fill)
    let track = Piece(glyph: "─", part: .track)
    if case .unknown(let tick) = value {
      return pulse(
        tick, columns: columns, fill: fill,
        track: tick == nil ? Piece(glyph: " ", part: .track) : track)
    }
    let steps = partial.count + 1
    let units = units(columns: columns, perCell: steps)
    var pieces = Array(repeating: fill, count: units / steps)
    if !units.isMultiple(of: steps) {
      pieces.append(Piece(glyph: partial[units % steps - 1], part: .fill))
    }
    pieces += Array(repeating: track, count: columns - pieces.count)
    return pieces
  }

  private var asciiPieces: [Piece] {
    let capped = columns >= 3
    let inner = capped ? columns - 2 : columns
    let fill = Piece(glyph: "#", part: .fill)
    let track = Piece(glyph: "-", part: .track)
    var pieces: [Piece]
    if case .unknown(let tick) = value {
      pieces = pulse(
        tick, columns: inner, fill: fill,
        track: tick == nil ? Piece(glyph: " ", part: .track) : track)
    } else {
      let units = units(columns: inner, perCell: 1, least: 0)
      pieces = Array(repeating: fill, count: units)
      if units < inner && hasBegun { pieces.append(Piece(glyph: ">", part: .fill)) }
      pieces += Array(repeating: track, count: inner - pieces.count)
    }
    guard capped else { return pieces }
    return [Piece(glyph: "[", part: .cap)] + pieces + [Piece(glyph: "]", part: .cap)]
  }

  private var hasBegun: Bool {
    switch value {
    case .measured(let share): started || share > 0
    case .stepped(let done, _): started || done > 0
    case .unknown: false
    }
  }

  /// The units to fill of `columns * perCell`; all of them only when the work is done.
  private func units(columns: Int, perCell: Int, least: Int = 1) -> Int {
    let all = columns * perCell
    guard all > 0 else { return 0 }
    let smallest: Int
    if case .stepped = value { smallest = least * perCell } else { smallest = least }
    let minimum = hasBegun && smallest < all ? smallest : 0
    switch value {
    case .measured(let share):
      guard share > 0 else { return minimum }
      guard share < 1 else { return all }
      return max(minimum, min(Int(share * Double(all)), all - 1))
    case .stepped(let done, let total):
      guard total > 0, done > 0 else { return minimum }
      guard done < total else { return all }
      let (cells, rest) = total.dividingFullWidth(done.multipliedFullWidth(by: columns))
      let isRoundedUp = perCell > 1 && rest > 0
      return max(minimum, min(cells + (isRoundedUp ? 1 : 0), columns - 1) * perCell)
    case .unknown:
      return 0
    }
  }

  /// Three filled cells that go from end to end and back, one cell a tick.
  private func pulse(_ tick: Int?, columns: Int, fill: Piece, track: Piece) -> [Piece] {
    var pieces = Array(repeating: track, count: columns)
    guard let tick, columns > 0 else { return pieces }
    let length = min(3, columns)
    let way = columns - length
    let phase = way == 0 ? 0 : ((tick % (2 * way)) + 2 * way) % (2 * way)
    let start = phase <= way ? phase : 2 * way - phase
    for cell in start..<start + length { pieces[cell] = fill }
    return pieces
  }
}

extension Canvas {
  /// Draws a bar; what lies outside the canvas or `clip` is left out.
  package mutating func draw(
    _ bar: Bar, at point: Point, fill: Style, track: Style, cap: Style? = nil,
    clippedTo clip: Rect? = nil
  ) {
    let area = bounds.intersection(clip ?? bounds)
    for (offset, piece) in bar.pieces.enumerated() {
      let cell = Point(column: point.column + offset, row: point.row)
      guard area.contains(cell) else { continue }
      let style =
        switch piece.part {
        case .fill: fill
        case .track: track
        case .cap: cap ?? track
        }
      put(
        Glyph(base: piece.glyph, marks: [], columns: 1), column: cell.column, row: cell.row,
        style: style)
    }
  }
}

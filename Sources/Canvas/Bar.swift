/// The resolution with which a terminal can draw bars and sparklines.
package enum BlockLevel: String, Sendable, Hashable, CaseIterable {
  /// Eighths of a cell.
  case eighth
  /// Whole and half cells, for fonts without eighths.
  case half
  case ascii
}

/// A progress bar whose drawing depends on how its value is known.
///
/// The bar is full only when the work is done. Once the work has started, it shows at least the
/// smallest amount of its level. A measured share is rounded down. Steps are rounded up to a whole
/// cell, so that the bar never shrinks when a measured share is followed by steps.
package struct Bar: Sendable, Hashable {
  /// The knowledge about the work.
  package enum Value: Sendable, Hashable {
    /// A measured share from 0 to 1, in bytes for example.
    case measured(Double)
    /// `done` of `total` whole steps; drawn in whole cells.
    case stepped(done: Int, of: Int)
    /// The work goes on without a measure: a pulse that moves with `tick`; empty if `tick` is nil.
    case unknown(tick: Int?)
  }

  /// The part of a bar to which a cell belongs; it selects the style.
  package enum Part: Sendable, Hashable {
    case fill
    case track
    /// The brackets of the ASCII form.
    case cap
  }

  /// One cell of a bar.
  package struct Piece: Sendable, Hashable {
    /// The glyph; one column wide.
    package let glyph: Unicode.Scalar
    /// The part of the bar.
    package let part: Part
  }

  /// The knowledge about the work.
  package let value: Value
  /// Whether to show the smallest amount even at 0 %.
  package let started: Bool
  /// Number of cells, including the brackets of the ASCII form.
  package let columns: Int
  /// The resolution.
  package let level: BlockLevel

  /// A bar of `columns` cells; a negative number counts as 0.
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

  /// Number of units to fill, out of `columns * perCell`; all of them only when the work is done.
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

  /// Three filled cells that move from end to end and back, one cell per tick.
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
  /// Draws a bar, clipped to the canvas and to `clip`.
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

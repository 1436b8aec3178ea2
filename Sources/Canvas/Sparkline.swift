/// A row of small columns, one a sample, the newest at the right.
package struct Sparkline: Sendable, Hashable {
  /// The last samples, oldest first; nil where none was taken.
  package let samples: [Double?]
  /// The cells it takes, one a sample.
  package let columns: Int
  /// How finely it is drawn.
  package let level: BlockLevel

  /// Shows the last `columns` of `samples`; where there are fewer, the left is a gap.
  package init(_ samples: some Collection<Double?>, columns: Int, level: BlockLevel = .eighth) {
    self.columns = max(0, columns)
    self.level = level
    let shown = Array(samples.suffix(self.columns))
    self.samples = Array(repeating: nil, count: self.columns - shown.count) + shown
  }

  /// The sample that reaches the top: the largest one shown, 0 where there is none.
  package var scale: Double {
    samples.reduce(0) { top, sample in
      guard let sample, sample.isFinite else { return top }
      return max(top, sample)
    }
  }

  /// One scalar a column; nil for a gap.
  package var glyphs: [Unicode.Scalar?] {
    let steps: [Unicode.Scalar] =
      switch level {
      case .eighth: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
      case .half: ["_", "▄", "█"]
      case .ascii: ["_", ".", "-", "=", "#"]
      }
    let scale = scale
    return samples.map { sample in
      guard let sample, sample.isFinite else { return nil }
      guard sample > 0, scale > 0 else { return steps[0] }
      return steps[min(steps.count - 1, Int(sample / scale * Double(steps.count)))]
    }
  }

  /// What is drawn where there is no sample.
  package var gap: Unicode.Scalar { level == .ascii ? " " : "·" }

  /// The sparkline as text, for output without styles.
  package var text: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: glyphs.map { $0 ?? gap })
    return String(scalars)
  }
}

extension Canvas {
  /// Draws a sparkline; what lies outside the canvas or `clip` is left out.
  package mutating func draw(
    _ sparkline: Sparkline, at point: Point, style: Style, gap: Style,
    clippedTo clip: Rect? = nil
  ) {
    let area = bounds.intersection(clip ?? bounds)
    for (offset, scalar) in sparkline.glyphs.enumerated() {
      let cell = Point(column: point.column + offset, row: point.row)
      guard area.contains(cell) else { continue }
      put(
        Glyph(base: scalar ?? sparkline.gap, marks: [], columns: 1), column: cell.column,
        row: cell.row, style: scalar == nil ? gap : style)
    }
  }
}

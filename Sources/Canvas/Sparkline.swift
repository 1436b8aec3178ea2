/// A chart of small columns, one per sample, the newest at the right.
package struct Sparkline: Sendable, Hashable {
  /// The last samples, oldest first; nil for a missing sample.
  package let samples: [Double?]
  /// Number of cells, one per sample.
  package let columns: Int
  /// The resolution.
  package let level: BlockLevel

  /// A chart of the last `columns` samples; if there are fewer, the left is a gap.
  package init(_ samples: some Collection<Double?>, columns: Int, level: BlockLevel = .eighth) {
    self.columns = max(0, columns)
    self.level = level
    let shown = Array(samples.suffix(self.columns))
    self.samples = Array(repeating: nil, count: self.columns - shown.count) + shown
  }

  /// The value of a full column: the largest sample shown, or 0 if there is none.
  package var scale: Double {
    samples.reduce(0) { top, sample in
      guard let sample, sample.isFinite else { return top }
      return max(top, sample)
    }
  }

  /// One scalar per column; nil for a gap.
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

  /// The character for a missing sample.
  package var gap: Unicode.Scalar { level == .ascii ? " " : "·" }

  /// The sparkline as text, for output without styles.
  package var text: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: glyphs.map { $0 ?? gap })
    return String(scalars)
  }
}

extension Canvas {
  /// Draws a sparkline, clipped to the canvas and to `clip`.
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

internal import Canvas

/// Figures as lines for people, one block for each section.
struct FigureTable: Sendable {
  let figures: [Figure]

  /// The lines: headings, then one line a figure, with its note below it.
  var lines: [String] {
    var lines: [String] = []
    var section: String?
    let names = figures.map { name(of: $0) }
    let width = (names.map { TextWidth.columns($0) }.max() ?? 0) + 1
    for (figure, name) in zip(figures, names) {
      if figure.section != section {
        if section != nil { lines.append("") }
        section = figure.section
        lines.append(
          figure.section.padded(to: width + 2) + "value".padded(to: -12) + "target".padded(to: -10)
            + "  reached  samples  spread")
      }
      lines.append(line(figure, name: name, width: width))
      if let note = figure.note { lines.append("      " + note) }
    }
    return lines
  }

  private func name(of figure: Figure) -> String {
    guard let peer = figure.peer else { return figure.name }
    return figure.name + " (" + peer + ")"
  }

  private func line(_ figure: Figure, name: String, width: Int) -> String {
    let sign = figure.better == .lower ? "≤ " : "≥ "
    let target = figure.target.map { sign + Self.text($0) } ?? "–"
    let reached = figure.isReached.map { $0 ? "yes" : "NO" } ?? "–"
    let spread = figure.spread.map { Self.text($0.lowerBound) + "…" + Self.text($0.upperBound) }
    let value = Self.text(figure.value) + (figure.unit == "ratio" ? "" : " " + figure.unit)
    return ("  " + name).padded(to: width + 2) + value.padded(to: -12) + target.padded(to: -10)
      + "  " + reached.padded(to: 9) + "\(figure.samples)".padded(to: 9) + (spread ?? "–")
  }

  /// As many digits as count: `0.93`, `12.3`, `1754`.
  static func text(_ value: Double) -> String {
    let magnitude = abs(value)
    let places = magnitude >= 100 || value == value.rounded() ? 0 : magnitude >= 10 ? 1 : 2
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let digits = String(Int((magnitude * scale).rounded()))
    let sign = value < 0 ? "-" : ""
    guard places > 0 else { return sign + digits }
    let filled = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return sign + filled.dropLast(places) + "." + filled.suffix(places)
  }
}

extension String {
  /// The text filled with blanks to so many columns, on the left where `columns` is negative.
  fileprivate func padded(to columns: Int) -> String {
    let blanks = String(repeating: " ", count: max(0, abs(columns) - TextWidth.columns(self)))
    return columns < 0 ? blanks + self : self + blanks
  }
}

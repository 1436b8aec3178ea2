package import Canvas

extension ThemeReport {
  /// Returns the report as lines of at most 80 columns.
  ///
  /// `drawn` returns a text in a style where the output can show it, and the unchanged text
  /// otherwise. The result must have as many columns as the text.
  package func lines(
    drawn: (_ text: String, _ style: Style, _ level: ColorLevel) -> String = { text, _, _ in text }
  ) -> [String] {
    [title, ""] + styleLines(drawn) + [""] + contrasts + [""] + distances
  }

  private var title: String {
    var words = ["theme \(name)", "for \(Self.backgrounds[kind] ?? kind.rawValue)"]
    if let contrast = promise.contrast { words.append("promises contrast \(figure(contrast))") }
    let eyes = ColorVision.allCases.filter { promise.vision.contains($0) }.map(\.rawValue)
    if !eyes.isEmpty { words.append("made for " + eyes.joined(separator: ", ")) }
    return words.joined(separator: " · ")
  }

  private static let backgrounds: [ThemeKind: String] = [
    .neutral: "all backgrounds", .dark: "dark backgrounds", .light: "light backgrounds",
    .mono: "terminals without colour",
  ]

  private func styleLines(
    _ drawn: (_ text: String, _ style: Style, _ level: ColorLevel) -> String
  ) -> [String] {
    let levels = ColorLevel.allCases
    let head = padded("role", to: 20) + levels.map { padded($0.rawValue, to: 15) }.joined()
    return [trimmed(head)]
      + rows.map { row in
        let cells = zip(levels, row.styles).map { level, style in
          let text = truncated("\(style)", to: 14)
          let blanks = String(repeating: " ", count: 15 - TextWidth.columns(text))
          return drawn(text, style, level) + blanks
        }
        return trimmed(padded(row.role.name, to: 20) + cells.joined())
      }
  }

  private var contrasts: [String] {
    let head = padded("contrast on", to: 20) + Backdrop.all.map { padded($0.name, to: 11) }.joined()
    let measured = rows.filter { $0.contrasts != nil }
    guard !measured.isEmpty else {
      return ["contrast: the terminal's own colours decide"]
    }
    let least = max(Self.leastContrast, promise.contrast ?? 0)
    return [trimmed(head)]
      + measured.map { row in
        let cells = zip(Backdrop.all, row.contrasts ?? []).map { backdrop, contrast in
          let isFaint = contrast < least && backdrop.fits(kind)
          let figure = backdrop.fits(kind) ? figure(contrast) : "(\(figure(contrast)))"
          return padded(figure + (isFaint ? " low" : ""), to: 11)
        }
        return trimmed(padded(row.role.name, to: 20) + cells.joined())
      }
  }

  private var distances: [String] {
    let measured = ColorVision.allCases.compactMap { vision in
      closestStates[vision].map { (vision: vision, pair: $0) }
    }
    guard !measured.isEmpty else {
      return ["states: the terminal's own colours decide"]
    }
    return [padded("most alike of states", to: 22) + padded("distance", to: 10) + "states"]
      + measured.map { vision, pair in
        let isBound = vision == .full || promise.vision.contains(vision)
        let isLow = isBound && pair.distance < Self.leastDistance
        let number = isBound ? figure(pair.distance) : "(\(figure(pair.distance)))"
        return padded("vision \(vision.rawValue)", to: 22)
          + padded(number + (isLow ? " low" : ""), to: 10)
          + "\(pair.one.name), \(pair.other.name)"
      }
  }

  private func trimmed(_ line: String) -> String {
    var line = Substring(line)
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}

extension Canvas {
  /// The text of all rows without trailing spaces; each row ends with a line feed.
  package var text: String {
    var lines = ""
    for row in 0..<size.rows {
      var scalars = String.UnicodeScalarView()
      var count = 0
      var kept = 0
      for column in 0..<size.columns {
        let cell = self[Point(column: column, row: row)]
        guard cell.width > 0 else { continue }
        scalars.append(cell.base)
        scalars.append(contentsOf: cell.marks)
        count += 1 + cell.marks.count
        if cell.base != " " || !cell.marks.isEmpty { kept = count }
      }
      lines += String(scalars.prefix(kept)) + "\n"
    }
    return lines
  }

  /// One letter for the style of each cell, rows without trailing dots.
  ///
  /// The plain style is a dot. Other styles take their letter from `letters`, else the next free
  /// letter in order of appearance.
  /// - Returns: The rows, and the style of each letter.
  package func attributeLayer(
    letters: [Style: Character] = [:]
  ) -> (rows: [String], legend: [(letter: Character, style: Style)]) {
    var known = letters
    known[.plain] = "."
    var free = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    free.removeAll { Set(known.values).contains($0) }
    free.reverse()
    var legend: [(letter: Character, style: Style)] = []
    var shown: Set<Style> = [.plain]
    var rows: [String] = []
    for row in 0..<size.rows {
      var line: [Character] = []
      for column in 0..<size.columns {
        let style = self[Point(column: column, row: row)].style
        let letter = known[style] ?? free.popLast() ?? "?"
        known[style] = letter
        if shown.insert(style).inserted { legend.append((letter, style)) }
        line.append(letter)
      }
      while line.last == "." { line.removeLast() }
      rows.append(String(line))
    }
    return (rows, legend)
  }

  /// The canvas as one text, for comparison with a stored text: text, styles, legend, cursor.
  package func dump(letters: [Style: Character] = [:]) -> String {
    let layer = attributeLayer(letters: letters)
    var dump = "\(size.columns)x\(size.rows)\n" + text + "--\n"
    for row in layer.rows { dump += row + "\n" }
    dump += "--\n"
    for entry in layer.legend { dump += "\(entry.letter) \(entry.style)\n" }
    if let cursor { dump += "cursor \(cursor.column),\(cursor.row)\n" }
    return dump
  }
}

extension Style: CustomStringConvertible {
  /// The colours and attributes in words: `32 on 0 bold`; `plain` for the terminal's own style.
  package var description: String {
    var words: [String] = []
    if foreground != .terminalDefault { words.append("\(foreground)") }
    if background != .terminalDefault { words.append("on \(background)") }
    let names: [(Attributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"),
    ]
    for (attribute, name) in names where attributes.contains(attribute) { words.append(name) }
    return words.isEmpty ? "plain" : words.joined(separator: " ")
  }
}

extension Color: CustomStringConvertible {
  /// The colour as in a theme file: `default`, an index, or `#rrggbb`.
  package var description: String {
    switch self {
    case .terminalDefault:
      return "default"
    case .indexed(let index):
      return "\(index)"
    case .rgb(let red, let green, let blue):
      let hex = [red, green, blue].map { channel in
        (channel < 16 ? "0" : "") + String(channel, radix: 16)
      }
      return "#" + hex.joined()
    }
  }
}

import Canvas

/// The text in lines of at most `columns` columns, broken at spaces where there are some.
func wrapped(_ text: String, columns: Int) -> [String] {
  guard columns > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    let longer = line.isEmpty ? String(word) : line + " " + word
    if TextWidth.columns(longer) <= columns || line.isEmpty {
      line = longer
    } else {
      lines.append(line)
      line = String(word)
    }
  }
  return line.isEmpty ? lines : lines + [line]
}

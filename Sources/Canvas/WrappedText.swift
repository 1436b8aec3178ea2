/// The text in lines of at most `columns` columns, broken at spaces, or inside a word that is
/// longer than a line.
package func wrapped(_ text: String, columns: Int) -> [String] {
  guard columns > 0 else { return [] }
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    let longer = line.isEmpty ? String(word) : line + " " + word
    if TextWidth.columns(longer) <= columns {
      line = longer
      continue
    }
    if !line.isEmpty { lines.append(line) }
    line = ""
    for character in word {
      if !line.isEmpty, TextWidth.columns(line + String(character)) > columns {
        lines.append(line)
        line = ""
      }
      line.append(character)
    }
  }
  return line.isEmpty ? lines : lines + [line]
}

import Canvas
import JobText
import ThemeCatalog

extension Painter {
  mutating func help(_ page: HelpPage, _ view: HelpView) {
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)
    let margin = columns >= 60 ? 1 : 0
    rule(0, title: "Help", right: "fettle", .title)
    let width = columns / page.columns.count
    for (number, lines) in page.columns.enumerated() {
      let start = number * width + margin
      let end = min(columns, (number + 1) * width)
      for (offset, line) in lines.dropFirst(page.top).prefix(page.rows).enumerated() {
        let place = HelpPage.Place(column: number, line: page.top + offset)
        helpLine(line, start, 1 + offset, keys: page.keys, to: end)
        mark(page.needle, 1 + offset, start..<max(start, end))
        if margin > 0, place == page.found { put(">", start - 1, 1 + offset, .text) }
      }
    }
    guard let prompt = view.prompt else {
      put(helpHint(page), margin, rows - 1, to: columns)
      return
    }
    let start = put(prompt.label, margin, rows - 1, .filterText, to: columns)
    let window = prompt.window(columns: max(1, columns - 1 - start))
    put(window.text, start, rows - 1, .filterText, to: columns)
    canvas.cursor = Point(column: min(start + window.cursor, columns - 1), row: rows - 1)
  }

  /// A hint on the keys, or the state of the search.
  private func helpHint(_ page: HelpPage) -> [LinePart] {
    func part(_ text: String, _ weight: Int, isName: Bool = false) -> LinePart {
      LinePart(text, role: .textDim, weight: weight, isName: isName, joint: " · ")
    }
    guard page.needle.isEmpty else {
      guard let found = page.found, let index = page.matches.firstIndex(of: found) else {
        return [
          part("'\(page.needle)' is not found", 90, isName: true), part("Esc ends the search", 50),
        ]
      }
      return [
        part("match \(index + 1) of \(page.matches.count)", 90), part("n N next, previous", 40),
        part("Esc ends the search", 50),
      ]
    }
    return [
      page.lastTop > 0 ? part("j k scroll", 80) : part("", 0), part("/ finds", 40),
      part("any other key closes", 70),
    ] + (page.changeRefusal.map { [part($0, 60, isName: true)] } ?? [])
  }

  private mutating func helpLine(
    _ line: HelpPage.Line, _ start: Int, _ row: Int, keys: Int, to end: Int
  ) {
    switch line {
    case .blank: break
    case .state(let mark):
      glyph(mark, start, row)
      put(mark.countWord, start + 3, row, mark.role, to: end)
    case .sign(let sign, let means):
      put(sign == "»" ? look.followed : sign, start, row, role(ofSign: sign), to: end)
      put(means, start + 3, row, .text, to: end - 1)
    case .term(let term, let finds):
      put(term, start, row, .key, to: end)
      put(finds, start + HelpPage.findsColumn(keys: keys), row, .text, to: end - 1)
    case .moreFound(let finds):
      put(finds, start + HelpPage.findsColumn(keys: keys), row, .text, to: end - 1)
    case .more(let help, let isDisabled):
      put(help, start + keys + 1, row, isDisabled ? .keyDisabled : .text, to: end - 1)
    case .group(let name): put(name, start, row, .header, to: end)
    case .action(let names, let help, let isDisabled):
      put(names, start, row, isDisabled ? .keyDisabled : .key, to: start + keys)
      put(help, start + keys + 1, row, isDisabled ? .keyDisabled : .text, to: end - 1)
    case .reason(let reason):
      put(reason, start + keys + 1, row, .keyDisabled, to: end - 1)
    }
  }

  private func role(ofSign sign: String) -> Role {
    switch sign {
    case "*": .rowTagged
    case "»": .rowFollowed
    default: .text
    }
  }
}

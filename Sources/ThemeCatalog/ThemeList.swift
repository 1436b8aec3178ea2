import Canvas

/// The themes on a shelf, for people and for programs: `fettle theme list`.
package struct ThemeList: Sendable {
  /// One theme, as in JSON.
  package struct Item: Sendable, Hashable, Encodable {
    /// What it is called by.
    package let name: String
    /// For which backgrounds it is made; nil where the file has errors.
    package let kind: String?
    /// The file it comes from; nil where the program brings it.
    package let file: String?
    /// One line on what it is for.
    package let purpose: String
    /// Why it cannot be used, with file and line; nil where it can.
    package let error: String?
  }

  /// In the order to show them.
  package let items: [Item]

  /// Lists a shelf.
  package init(_ shelf: ThemeLibrary) {
    items = shelf.entries.map { entry in
      let file: String? = if case .file(let path) = entry.origin { path } else { nil }
      let error = entry.reading.issues.first { $0.severity == .error }
      return Item(
        name: entry.name, kind: entry.reading.theme?.kind.rawValue, file: file,
        purpose: entry.reading.theme?.purpose ?? "",
        error: entry.reading.theme == nil ? error.map { "\($0)" } ?? "cannot be read" : nil)
    }
  }

  /// The list as lines of text under a heading.
  package var lines: [String] {
    let rows = items.map { item in
      [
        item.name, item.kind ?? "broken", item.file.map { sanitize($0) } ?? "fettle",
        item.error ?? item.purpose,
      ]
    }
    let all = [["NAME", "KIND", "FROM", "FOR"]] + rows
    let widths = (0..<3).map { column in all.map { TextWidth.columns($0[column]) }.max() ?? 0 }
    return all.map { row in
      zip(row, widths).map { padded($0, to: $1 + 2) }.joined() + row[3]
    }
  }
}

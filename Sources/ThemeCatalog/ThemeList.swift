import Canvas

/// The list of a library's themes for `fettle theme list`, as lines or JSON.
package struct ThemeList: Sendable {
  /// One theme in JSON.
  package struct Item: Sendable, Hashable, Encodable {
    /// The theme's name.
    package let name: String
    /// The `ThemeKind`; nil when the file has errors.
    package let kind: String?
    /// The theme's file; nil for a theme of the program.
    package let file: String?
    /// One line about its purpose.
    package let purpose: String
    /// The error with file and line; nil when the theme can be used.
    package let error: String?
  }

  /// The themes in display order.
  package let items: [Item]

  /// Lists the themes of a library.
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

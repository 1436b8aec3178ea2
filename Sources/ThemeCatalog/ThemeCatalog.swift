import FoundationEssentials

/// The themes that the program brings, and the reading of others.
package enum ThemeCatalog: Sendable {
  /// What came of reading a theme.
  package struct Reading: Sendable {
    /// The theme; nil when an issue is an error.
    package let theme: ThemeDefinition?
    /// What is wrong, in the order of lines.
    package let issues: [ThemeIssue]
  }

  /// The name of the theme that is used when nothing else is asked for or what is asked is broken.
  package static let defaultName = "neutral"

  /// The names of the themes in the program, in the order to show them.
  package static var names: [String] { EmbeddedThemes.all.map(\.name) }

  /// A theme that the program brings; nil where it has none of that name.
  package static func named(_ name: String) -> ThemeDefinition? {
    guard let text = EmbeddedThemes.text(of: name) else { return nil }
    return parse(text, file: name + ".toml").theme
  }

  /// The default theme at `level`.
  package static func standard(at level: ColorLevel) -> Theme {
    (named(defaultName) ?? ThemeDefinition([])).theme(at: level)
  }

  /// Reads a theme from `text`; `file` is what issues call it.
  ///
  /// It inherits from what its `inherits` names, looked for among `others` first and then in the
  /// program; without that, from the default theme.
  package static func parse(
    _ text: String, file: String, others: (String) -> (file: String, text: String)? = { _ in nil }
  ) -> Reading {
    let first = ThemeFile(text, file: file)
    var issues = first.issues
    var chain = [first]
    var names = [name(of: file)]
    while let last = chain.last {
      guard let parent = last.inherits?.value ?? (names.last == defaultName ? nil : defaultName)
      else { break }
      guard !names.contains(parent) else {
        let cycle = (names + [parent]).joined(separator: " → ")
        issues.append(
          ThemeIssue(
            file: last.file, line: last.inherits?.line, severity: .error,
            message: "inherits from itself: " + cycle))
        break
      }
      let embedded = EmbeddedThemes.text(of: parent).map { (file: parent + ".toml", text: $0) }
      guard let source = others(parent) ?? embedded else {
        issues.append(
          ThemeIssue(
            file: last.file, line: last.inherits?.line, severity: .error,
            message: "inherits from \"\(parent)\", which is not known"))
        break
      }
      let next = ThemeFile(source.text, file: source.file)
      issues += next.issues
      chain.append(next)
      names.append(parent)
    }
    let theme = ThemeDefinition(chain.reversed())
    issues += theme.issues
    let broken = issues.contains { $0.severity == .error }
    return Reading(theme: broken ? nil : theme, issues: issues)
  }

  /// Reads the theme in the file at `path`.
  ///
  /// Themes that it inherits from may lie beside it. Files of more than a megabyte are refused.
  package static func load(path: String) -> Reading {
    guard let text = contents(of: path) else {
      let issue = ThemeIssue(
        file: path, line: nil, severity: .error,
        message: "cannot be read as text of at most 1 MB")
      return Reading(theme: nil, issues: [issue])
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    return parse(text, file: path) { name in
      guard !name.contains("/") else { return nil }
      let beside = folder + name + ".toml"
      return contents(of: beside).map { (beside, $0) }
    }
  }

  private static func contents(of path: String) -> String? {
    let file = URL(filePath: path).resolvingSymlinksInPath()
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let size = attributes?[.size] as? UInt64, size <= 1_000_000,
      let data = try? Data(contentsOf: file)
    else { return nil }
    return String(validating: data, as: UTF8.self)
  }

  /// The file's name without folders and ending.
  private static func name(of file: String) -> String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.hasSuffix(".toml") ? String(last.dropLast(5)) : last
  }
}

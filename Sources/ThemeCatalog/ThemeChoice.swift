/// Which theme the monitor wears: what was asked for, the terminal's background, and the files.
///
/// A theme with errors never stops the monitor. The first time the default is worn in its place;
/// when a file is changed so that it has errors, what was worn stays. Either is told once.
package struct ThemeChoice: Sendable {
  /// What came of reading.
  package enum Outcome: Sendable, Hashable {
    /// As asked for.
    case sound
    /// The theme is worn though something in its file means nothing.
    case warning(ThemeIssue)
    /// The theme cannot be worn; the one of this name is, or what was worn before where it is nil.
    case broken(ThemeIssue, wears: String?)

    /// One line for the operator; nil where there is nothing to tell.
    package var notice: String? {
      switch self {
      case .sound: nil
      case .warning(let issue): "\(issue)"
      case .broken(let issue, let name?): "\(issue); the theme \(name) is used"
      case .broken(let issue, nil): "\(issue); the colours stay as they were"
      }
    }
  }

  /// What options or settings ask for: a name, a path, `auto`; nil is `auto`.
  package var wanted: String?
  /// What is known about the terminal's background; counts where nothing else is asked for.
  package var background: BackgroundEvidence
  /// The themes that can be called by name.
  package let shelf: ThemeLibrary
  /// The theme to draw with.
  package private(set) var definition: ThemeDefinition
  /// The files whose change means that ``read()`` should be called again: those it was read from,
  /// and those that would take its place.
  package private(set) var files: [String] = []
  /// What the last sound reading was asked for.
  private var worn: String?

  /// A choice that has read nothing yet and wears the default.
  package init(
    wanted: String?, background: BackgroundEvidence = BackgroundEvidence(), shelf: ThemeLibrary
  ) {
    self.wanted = wanted
    self.background = background
    self.shelf = shelf
    definition = ThemeCatalog.named(ThemeCatalog.defaultName) ?? ThemeDefinition([])
  }

  /// The name or path of what should be worn.
  package var name: String { background.theme(wanted: wanted) }

  /// Reads the theme, again if need be.
  package mutating func read() -> Outcome {
    let name = name
    guard let reading = shelf.reading(name) else {
      files = shelf.candidates(of: name)
      let issue = ThemeIssue(
        file: name, line: nil, severity: .error,
        message: "there is no theme of this name (themes: \(shelf.names.joined(separator: ", ")))")
      return fall(issue, from: name)
    }
    files = reading.files
    for file in shelf.candidates(of: name) where !files.contains(file) { files.append(file) }
    if let theme = reading.theme {
      definition = theme
      worn = name
      return reading.issues.first.map { .warning($0) } ?? .sound
    }
    let errors = reading.issues.filter { $0.severity == .error }
    let issue =
      errors.first
      ?? ThemeIssue(file: name, line: nil, severity: .error, message: "cannot be read")
    return fall(issue, from: name)
  }

  private mutating func fall(_ issue: ThemeIssue, from name: String) -> Outcome {
    if worn == name { return .broken(issue, wears: nil) }
    worn = nil
    definition = ThemeCatalog.named(ThemeCatalog.defaultName) ?? ThemeDefinition([])
    return .broken(issue, wears: definition.name)
  }
}

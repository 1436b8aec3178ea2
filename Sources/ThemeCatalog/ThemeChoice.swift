/// Selects the monitor's theme from the requested theme, the terminal's background, and the theme
/// files.
///
/// A broken theme never stops the monitor. If the first reading of a theme fails, the default theme
/// is used; if its file becomes broken later, the theme in use stays. Both are reported once.
package struct ThemeChoice: Sendable {
  /// The result of ``ThemeChoice/read()``.
  package enum Outcome: Sendable, Hashable {
    /// The requested theme is used.
    case sound
    /// The requested theme is used, but its file has a part without effect.
    case warning(ThemeIssue)
    /// The requested theme cannot be used; the theme named `used` is used instead, or if `used`
    /// is nil the previous theme stays.
    case broken(ThemeIssue, used: String?)

    /// One line for the operator; nil when there is no issue.
    package var notice: String? {
      switch self {
      case .sound: nil
      case .warning(let issue): "\(issue)"
      case .broken(let issue, let name?): "\(issue); the theme \(name) is used"
      case .broken(let issue, nil): "\(issue); the colours stay as they were"
      }
    }
  }

  /// The requested theme of options or settings: a name, a path, or `auto`; nil means `auto`.
  package var requestedTheme: String?
  /// The information about the terminal's background, used for `auto`.
  package var background: BackgroundEvidence
  /// The themes that have a name.
  package let library: ThemeLibrary
  /// The theme to draw with.
  package private(set) var definition: ThemeDefinition
  /// The files whose change requires another ``read()``: the files of the theme, and files that
  /// would replace it.
  package private(set) var files: [String] = []
  /// The requested theme of the last successful reading.
  private var usedName: String?

  /// Creates a choice that uses the default theme until the first ``read()``.
  package init(
    wanted: String?, background: BackgroundEvidence = BackgroundEvidence(), shelf: ThemeLibrary
  ) {
    self.requestedTheme = wanted
    self.background = background
    self.library = shelf
    definition = ThemeCatalog.standard
  }

  /// The name or path of the requested theme.
  package var name: String { background.theme(wanted: requestedTheme) }

  /// Reads the theme, or reads it again after a change.
  package mutating func read() -> Outcome {
    let name = name
    guard let reading = library.reading(name) else {
      files = library.candidates(of: name)
      let issue = ThemeIssue(
        file: name, line: nil, severity: .error,
        message: "there is no theme of this name (themes: \(library.names.joined(separator: ", ")))"
      )
      return useFallback(issue, from: name)
    }
    files = reading.files
    for file in library.candidates(of: name) where !files.contains(file) { files.append(file) }
    if let theme = reading.theme {
      definition = theme
      usedName = name
      return reading.issues.first.map { .warning($0) } ?? .sound
    }
    let errors = reading.issues.filter { $0.severity == .error }
    let issue =
      errors.first
      ?? ThemeIssue(file: name, line: nil, severity: .error, message: "cannot be read")
    return useFallback(issue, from: name)
  }

  private mutating func useFallback(_ issue: ThemeIssue, from name: String) -> Outcome {
    if usedName == name { return .broken(issue, used: nil) }
    usedName = nil
    definition = ThemeCatalog.standard
    return .broken(issue, used: definition.name)
  }
}

import InstallJobs
import Settings
import ThemeCatalog

/// The theme of a running monitor: read at the start, read again when its file changes, changed on
/// the settings screen.
@MainActor
final class MonitorTheme {
  private var choice: ThemeChoice
  private let watch: FileWatch?
  /// The colour level to draw with.
  var level = ColorLevel.mono
  /// Called with every new theme, and with a notice for the user.
  var onThemeChange: (Theme, _ notice: String?) -> Void = { _, _ in }

  /// The notice of the first reading; nil when the theme has no problem.
  private(set) var notice: String?

  /// Reads the theme.
  ///
  /// - Parameters:
  ///   - option: The theme of the command line.
  ///   - setting: The theme of the settings, used when the command line names none.
  ///   - place: File and line of that setting, when a file sets it.
  /// - Throws: `invalidArgument` for a theme of the command line that cannot be used. A broken
  ///   theme of the settings becomes a notice and the default is used, so that the monitor opens in
  ///   any case.
  init(option: String?, setting: String?, place: String? = nil) throws(InstallationError) {
    let background = BackgroundEvidence(colorFGBG: ProcessEnvironment.all["COLORFGBG"])
    choice = ThemeChoice(wanted: option ?? setting, background: background, shelf: .ofUser)
    let outcome = choice.read()
    watch = FileWatch(choice.files)
    if case .broken(let issue, _) = outcome, option != nil {
      throw InstallationError(
        .invalidArgument, "\(issue)", class: .fatal,
        hint: "correct the theme file, or take one of 'fettle theme list'")
    }
    notice = outcome.notice
    // The theme in use and the file to correct come before the long list of themes.
    if option == nil, let place, case .broken(let issue, let name?) = outcome {
      let reason = "\(issue)".split(separator: " (themes:").first ?? ""
      notice = "\(reason); the theme \(name) is used (set in \(place))"
    }
  }

  /// The name of the theme in use.
  var name: String { choice.name }

  /// The name of the theme that the background selects when no option or setting names one.
  var standardName: String { choice.background.theme(wanted: nil) }

  /// The theme to draw with.
  var theme: Theme { choice.definition.theme(at: level) }

  /// Reloads the theme whenever its file changes, until the task is cancelled.
  func follow() async {
    guard let watch else { return }
    for await _ in watch.changes { read() }
  }

  /// Switches to another theme: a name, a path, or `auto`.
  func choose(_ name: String) {
    choice.requestedTheme = name
    read()
  }

  /// Applies the terminal's reply about its background colour, as the terminal wrote it.
  func apply(answer: String) {
    guard let color = RGB(terminalAnswer: answer) else { return }
    let before = choice.name
    choice.background.answer = color
    if choice.name != before { read() }
  }

  private func read() {
    let before = theme
    let outcome = choice.read()
    watch?.watch(choice.files)
    guard theme != before || outcome != .sound else { return }
    onThemeChange(theme, outcome.notice)
  }
}

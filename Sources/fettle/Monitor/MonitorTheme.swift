import InstallJobs
import Settings
import ThemeCatalog

/// The theme of a running monitor: worn from the start, read again when its file changes, changed
/// on the settings screen.
@MainActor
final class MonitorTheme {
  private var choice: ThemeChoice
  private let watch: FileWatch?
  /// How many colours it is drawn with.
  var level = ColorLevel.mono
  /// Called with every new look, and with what there is to tell about it.
  var wear: (Theme, _ notice: String?) -> Void = { _, _ in }

  /// What is to be told about the first reading; nil when all is well.
  private(set) var notice: String?

  /// Reads the theme.
  ///
  /// - Parameters:
  ///   - option: What the command line asks for.
  ///   - setting: What the settings ask for, used where the command line says nothing.
  ///   - place: File and line of that setting, where a file has it.
  /// - Throws: `invalidArgument` for a theme of the command line that cannot be used. One of the
  ///   settings is told and replaced by the default, since jobs are to be seen all the same.
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
    // What is used and the file to look at stand before the long list of what there is.
    if option == nil, let place, case .broken(let issue, let name?) = outcome {
      let reason = "\(issue)".split(separator: " (themes:").first ?? ""
      notice = "\(reason); the theme \(name) is used (set in \(place))"
    }
  }

  /// The name of the theme that is worn.
  var name: String { choice.name }

  /// The name of the theme that is worn where nothing asks for another.
  var standardName: String { choice.background.theme(wanted: nil) }

  /// The theme to draw with.
  var theme: Theme { choice.definition.theme(at: level) }

  /// Wears what the file says whenever it changes, until the task is cancelled.
  func follow() async {
    guard let watch else { return }
    for await _ in watch.changes { read() }
  }

  /// Wears another theme: a name, a path, or `auto`.
  func choose(_ name: String) {
    choice.wanted = name
    read()
  }

  /// Takes in what the terminal answered about its background, as it wrote it.
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
    wear(theme, outcome.notice)
  }
}

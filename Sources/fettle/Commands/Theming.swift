import ArgumentParser
import Canvas
import Glibc
import InstallJobs
import Settings
import ThemeCatalog

/// The command `fettle theme`.
struct Themes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "theme",
    abstract: "The colours of the monitor: which there are, and whether a file is sound.",
    discussion: """
      Themes come with fettle; files of your own go into ~/.config/fettle/themes, where one with \
      the name of a theme of fettle takes its place. Choose with --theme or the setting 'theme'.
      """,
    subcommands: [List.self, Check.self])

  /// The command `fettle theme list`.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "All themes: name, kind, where it comes from, what it is for.")

    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
      let list = ThemeList(.ofUser)
      guard json else { return Report.lines(list.lines) }
      try Report.json(list.items)
    }
  }

  /// The command `fettle theme check`.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measure a theme: every role at four colour levels, contrast, colour-blind eyes.",
      discussion: """
        Exits with 0 when the theme is sound, 1 when something does not keep to the rules, 64 \
        when the file cannot be used. Figures in brackets are for what the theme is not made for.
        """)

    @Argument(help: "A theme's name, or the path of a theme file.") var theme: String
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var global: GlobalOptions

    func run() throws {
      let report = try measured()
      if json {
        try Report.json(report.sheet)
      } else {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let most = ColorEvidence(
          linesOf: global.color ?? .auto, environment: ProcessEnvironment.all
        ).level
        Report.lines(
          report.lines { text, style, level in
            isTerminal && level <= most ? style.written(text) : text
          })
        Report.lines([""] + (report.findings.map { "\($0)" } + [report.verdict]))
      }
      if !report.findings.isEmpty { Report.exit(.failed) }
    }

    private func measured() throws(InstallationError) -> ThemeReport {
      // The file is only measured and configures nothing, so its owner does not matter.
      let places = SettingsPlaces(environment: ProcessEnvironment.all)
      let shelf = ThemeLibrary(folders: places.themeFolders, requiresTrust: false)
      guard let reading = shelf.reading(theme) else {
        throw InstallationError(
          .invalidArgument, "there is no theme '\(sanitize(theme))'", class: .fatal,
          hint: "'fettle theme list' names them; a file is named with a slash, as ./mine.toml")
      }
      guard let definition = reading.theme else {
        let first = reading.issues.first { $0.severity == .error }
        if !json {
          for issue in reading.issues where issue != first { Report.note("\(issue)") }
        }
        throw InstallationError(
          .invalidArgument, first.map { "\($0)" } ?? "cannot read '\(sanitize(theme))'",
          class: .fatal, hint: "correct the theme file")
      }
      return ThemeReport(definition, issues: reading.issues)
    }
  }
}

extension ThemeLibrary {
  /// The themes that this process's user can select by name.
  static var ofUser: ThemeLibrary {
    ThemeLibrary(folders: SettingsPlaces(environment: ProcessEnvironment.all).themeFolders)
  }
}

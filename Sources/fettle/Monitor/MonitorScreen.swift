import Canvas
import Glibc
import InstallJobs
import JobClient
import Monitor
import Settings
import Terminal
import ThemeCatalog

/// Opens the monitor on a terminal, drawn as options, settings and terminal allow.
struct MonitorScreen {
  private let global: GlobalOptions

  private let isSlowLink: Bool

  /// - Parameters:
  ///   - global: The options of every command.
  ///   - isSlowLink: Whether to save bandwidth to the terminal, whatever the settings say.
  init(_ global: GlobalOptions, isSlowLink: Bool = false) {
    self.global = global
    self.isSlowLink = isSlowLink
  }

  /// Whether standard input and output are a terminal that can show a screen.
  var isPossible: Bool {
    !global.plain && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
      && environment["TERM"] != "dumb"
  }

  /// Runs the monitor until the user leaves.
  ///
  /// - Parameters:
  ///   - session: An open session.
  ///   - reconnect: Opens a new session; nil connects as the options say.
  ///   - replayed: The job to replay at once, and the speed; nil opens the queue.
  ///   - companion: Runs beside the monitor and can post messages; cancelled when the user leaves.
  /// - Returns: Why the monitor ended.
  /// - Throws: `invalidArgument` for a theme of the command line with errors.
  @MainActor
  func run(
    on session: UpdateSession,
    reconnect: (@Sendable () async throws(InstallationError) -> UpdateSession)? = nil,
    opening replayed: (job: JobID, speed: Int)? = nil,
    companion: (@Sendable (_ say: @escaping @Sendable (MonitorEvent) -> Void) async -> Void)? = nil
  ) async throws -> MonitorSession.End {
    let preferences = MonitorPreferences()
    for warning in preferences.warnings { Report.note(warning) }
    let settings = preferences.settings
    let theme = try MonitorTheme(
      option: global.theme, setting: settings.theme, place: preferences.place(of: "theme"))
    if let notice = theme.notice { Report.note(notice) }
    let terminal = try open(settings)
    let can = terminal.capabilities
    let evidence = ColorEvidence(
      choice: global.color ?? settings.color.flatMap { ColorChoice(rawValue: $0.rawValue) }
        ?? .auto, environment: environment, terminfoColors: can.colorCount,
      hasDirectColor: can.hasDirectColor)
    let isASCII = global.ascii || settings.ascii == true || !can.isUTF8
    // The font of the Linux console has half blocks but no eighth blocks.
    let blocks: BlockLevel =
      isASCII ? .ascii : environment["TERM"] == "linux" ? .half : .eighth
    theme.level = evidence.level
    let look = DrawStyle(theme: theme.theme, blocks: blocks)
    let mailbox = Mailbox()
    if let notice = can.notice {
      mailbox.post(.notice(notice))
      // Another message may replace this one at once; standard error keeps it for after the end.
      Report.note(notice)
    }
    let global = global
    let link = MonitorLink(session, mailbox: mailbox) { () async throws(InstallationError) in
      if let reconnect { return try await reconnect() }
      return try await global.connect()
    }
    let (actions, odd) = preferences.bound(.standard)
    let problems = odd + [preferences.columnProblem].compactMap(\.self)
    for problem in problems { Report.note(problem) }
    let reason = global.readOnlyReason(settings)
    var shown = preferences.shown(theme: theme.name)
    if isSlowLink { shown.isSlowLink = true }
    preferences.lastTheme = theme.name
    preferences.lastSlowLink = shown.isSlowLink
    var state = MonitorState(
      size: terminal.size, readOnlyReason: reason, timeOffset: LocalTime.offset,
      preferences: shown, standard: Preferences(theme: theme.standardName),
      themes: ThemeList(.ofUser).items.map(\.name),
      actions: actions)
    state.advice = Report.advice
    let session = MonitorSession(
      state, terminal, look: look, link: link, mailbox: mailbox, preferences: preferences,
      theme: theme)
    session.warning = theme.notice ?? (preferences.warnings + problems).first
    theme.onThemeChange = { theme, notice in
      session.useTheme(theme)
      if let notice { mailbox.post(.notice(notice, isAlert: true)) }
    }
    if let replayed {
      mailbox.post(.replay(.wanted(replayed.job, speed: replayed.speed)))
    }
    let themes = Task { await theme.follow() }
    let beside = Task { await companion?({ mailbox.post($0) }) }
    let end = await session.run()
    beside.cancel()
    themes.cancel()
    terminal.close()
    return end
  }

  /// Prints `sentence` when the user left; otherwise ends the process as the monitor ended, by
  /// hang-up or signal.
  func say(_ sentence: String, after end: MonitorSession.End) {
    switch end {
    case .quit: Report.line(sentence)
    case .hangup: Report.exit(.succeeded)
    case .signal(let signal): Terminal.endProcess(by: signal)
    }
  }

  @MainActor
  private func open(_ settings: Settings) throws(InstallationError) -> Terminal {
    var options = TerminalOptions()
    options.usesMouse = settings.mouse == true
    options.escapeDelay = settings.escapeDelay
    func refusal(_ reason: String) -> InstallationError {
      InstallationError(
        .invalidArgument, "the terminal cannot show a screen: \(reason)", class: .fatal,
        hint: "use --plain")
    }
    let terminal: Terminal
    do throws(TerminalError) {
      terminal = try Terminal.open(options)
    } catch {
      throw refusal("\(error)")
    }
    guard terminal.capabilities.canMoveCursor else {
      terminal.close()
      throw refusal("its type \(terminal.capabilities.type) cannot place a cursor")
    }
    return terminal
  }

  private var environment: [String: String] { ProcessEnvironment.all }
}

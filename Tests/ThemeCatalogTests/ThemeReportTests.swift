import Canvas
import Testing
import ThemeCatalog

@Suite struct `The report on a theme` {
  @Test func `shows every role at every level with its contrast`() throws {
    let report = ThemeReport(try #require(ThemeCatalog.named("neutral")))
    #expect(report.rows.map(\.role) == Role.allCases)
    let running = try #require(report.rows.first { $0.role == .stateRunning })
    #expect(
      running.styles == [
        Style(attributes: .bold), Style(foreground: .indexed(4), attributes: .bold),
        Style(foreground: .indexed(32), attributes: .bold),
        Style(foreground: .rgb(0, 0x87, 0xD7), attributes: .bold),
      ])
    #expect(report.findings.isEmpty)
    let lines = report.lines()
    for line in lines { #expect(TextWidth.columns(line) <= 80, "\(line)") }
    #expect(
      lines.contains(
        "state.running       bold           4 bold         32 bold        #0087d7 bold"))
    #expect(lines.contains("state.running       5.4        4.3        3.8        3.8        3.5"))
    for role in Role.allCases { #expect(lines.contains { $0.hasPrefix(role.name + " ") }) }
    for vision in ColorVision.allCases {
      #expect(lines.contains { $0.hasPrefix("vision \(vision.rawValue)") })
    }
  }

  @Test func `draws each look at its own level, and the columns stay`() throws {
    let report = ThemeReport(try #require(ThemeCatalog.named("neutral")))
    let drawn = report.lines { text, style, level in
      level < .indexed256 ? text : style.written(text)
    }
    let line = try #require(drawn.first { $0.hasPrefix("state.running") })
    #expect(line.contains(" 4 bold  "))
    #expect(line.contains("\u{1B}[1;38;5;32m32 bold\u{1B}[0m"))
    #expect(line.contains("\u{1B}[1;38;2;0;135;215m#0087d7 bold\u{1B}[0m"))
    #expect(drawn.map { sanitize($0) } != drawn)
  }

  /// The roles with too little contrast on a background of the theme's kind.
  private func weakRoles(_ report: ThemeReport) -> [Role] {
    report.rows.map(\.role).filter { role in
      report.findings.contains { if case .faint(role, _, _, _) = $0 { true } else { false } }
    }
  }

  @Test func `names the roles that are hard to read, on backgrounds the theme is made for only`()
    throws
  {
    let faint = "[palette]\nsea = [\"#101010\", 233, \"blue\"]"
    let report = ThemeReport(try #require(ThemeCatalog.parse(faint, file: "t.toml").theme))
    #expect(
      weakRoles(report) == [.stateRunning, .stateCleanup, .spark, .timelineDownload])
    #expect(report.lines().contains { $0.hasPrefix("spark ") && $0.contains(" 1.1 low ") })
    #expect(report.findings.contains { "\($0)".hasPrefix("spark has contrast 1.1 on black, less") })
    let light = ThemeReport(
      try #require(
        ThemeCatalog.parse("[theme]\ninherits = \"light\"\n" + faint, file: "t.toml").theme))
    #expect(weakRoles(light).isEmpty)
  }

  @Test func `a theme is held to the contrast that it promises`() throws {
    func roles(promising promise: String) throws -> [Role] {
      let text = "[theme]\ninherits = \"dark\"\n" + promise
      return weakRoles(
        ThemeReport(try #require(ThemeCatalog.parse(text, file: "t.toml").theme)))
    }
    #expect(try roles(promising: "").isEmpty)
    #expect(try roles(promising: "contrast = 4.5").isEmpty)
    #expect(try roles(promising: "contrast = 7").contains(.stateFailed))
  }

  @Test func `a theme is held to the eyes that it is made for`() throws {
    func findings(_ promise: String) throws -> [ThemeReport.Finding] {
      let text = "[theme]\ninherits = \"dark\"\n" + promise
      return ThemeReport(try #require(ThemeCatalog.parse(text, file: "t.toml").theme)).findings
    }
    #expect(try findings("").isEmpty)
    let found = try findings("vision = [\"deuteranopia\"]")
    #expect(found.count == 1)
    #expect(
      "\(try #require(found.first))"
        == "state.done and state.failed look alike (vision deuteranopia): distance 16.3, "
        + "less than 25.0")
  }

  @Test func `the same colour for two states is a finding for all eyes`() throws {
    let text = "[roles]\n\"state.warn\" = \"leaf\""
    let report = ThemeReport(try #require(ThemeCatalog.parse(text, file: "t.toml").theme))
    #expect(report.findings.count == 1)
    #expect(report.findings.contains { "\($0)".contains("look alike (vision full)") })
    #expect(report.lines().contains { $0.hasPrefix("vision full") && $0.contains("0.0 low") })
  }

  @Test func `what the file was warned of is a finding`() throws {
    let reading = ThemeCatalog.parse("[roles]\n\"text.dimm\" = \"ash\"", file: "t.toml")
    let report = ThemeReport(try #require(reading.theme), issues: reading.issues)
    #expect(report.findings.map { "\($0)" } == ["t.toml:2: warning: unknown role \"text.dimm\""])
    #expect(report.verdict == "1 finding")
  }

  @Test func `a theme without colours of its own has no figures`() throws {
    let report = ThemeReport(try #require(ThemeCatalog.named("mono")))
    #expect(report.closestStates.isEmpty)
    #expect(report.rows.allSatisfy { $0.contrast == nil && $0.contrasts == nil })
    #expect(report.findings.isEmpty)
    #expect(report.lines().contains("contrast: the terminal's own colours decide"))
  }

  @Test(arguments: ThemeCatalog.names)
  func `letters for dumps stand for one style each`(name: String) throws {
    let theme = try #require(ThemeCatalog.named(name)).theme(at: .indexed256)
    let letters = theme.letters
    #expect(Set(letters.values).count == letters.count)
    for role in Role.allCases { #expect(letters[theme.style(role)] != nil) }
  }
}

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
    #expect(report.weakRoles.isEmpty)
    #expect(report.lines.count == 1 + Role.allCases.count + ColorVision.allCases.count)
    for line in report.lines { #expect(TextWidth.columns(line) <= 105) }
    let line = try #require(report.lines.first { $0.hasPrefix("state.running") })
    #expect(line.hasSuffix("3.5"))
  }

  @Test func `names the roles that are hard to read`() throws {
    let reading = ThemeCatalog.parse(
      "[palette]\nsea = [\"#101010\", 233, \"blue\"]", file: "t.toml")
    let report = ThemeReport(try #require(reading.theme))
    #expect(report.weakRoles == [.stateRunning, .stateCleanup, .spark])
    #expect(report.lines.contains { $0.hasPrefix("spark ") && $0.hasSuffix("low") })
  }

  @Test func `a theme without colours of its own has no figures`() throws {
    let report = ThemeReport(try #require(ThemeCatalog.named("mono")))
    #expect(report.stateDistances.isEmpty)
    #expect(report.rows.allSatisfy { $0.contrast == nil })
  }

  @Test(arguments: ThemeCatalog.names)
  func `letters for dumps stand for one style each`(name: String) throws {
    let theme = try #require(ThemeCatalog.named(name)).theme(at: .indexed256)
    let letters = theme.letters
    #expect(Set(letters.values).count == letters.count)
    for role in Role.allCases { #expect(letters[theme.style(role)] != nil) }
  }
}

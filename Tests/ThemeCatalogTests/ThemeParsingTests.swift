import Canvas
import Testing
import ThemeCatalog

@Suite struct `Reading a theme` {
  @Test func `a theme takes over what it does not say itself`() throws {
    let reading = ThemeCatalog.parse(
      """
      [theme]
      name = "mine"
      inherits = "dark"

      [palette]
      sea = ["#123456", 24, "cyan"]

      [roles]
      "text.dim" = "sea dim"
      "notice" = "@state.failed underline"
      """, file: "mine.toml")
    #expect(reading.issues.isEmpty)
    let definition = try #require(reading.theme)
    #expect(definition.name == "mine")
    #expect(definition.kind == .dark)
    let theme = definition.theme(at: .truecolor)
    #expect(theme.style(.textDim) == Style(foreground: .rgb(0x12, 0x34, 0x56), attributes: .dim))
    #expect(theme.style(.stateRunning).foreground == .rgb(0x12, 0x34, 0x56))
    #expect(theme.style(.notice) == theme.style(.stateFailed).adding(.underline))
    #expect(definition.theme(at: .indexed256).style(.textDim).foreground == .indexed(24))
    #expect(definition.theme(at: .ansi16).style(.textDim).foreground == .indexed(6))
    #expect(
      theme.style(.stateDone) == ThemeCatalog.named("dark")?.theme(at: .truecolor).style(.stateDone)
    )
  }

  @Test func `a bar takes the colours of its row's state and not the attributes`() throws {
    let theme = ThemeCatalog.standard.theme(at: .indexed256)
    #expect(theme.style(.barFill, state: .stateRunning) == Style(foreground: .indexed(32)))
    #expect(theme.style(.barFill, state: .stateAsk) == Style(foreground: .indexed(136)))
    #expect(theme.style(.barTrack, state: .stateAsk) == theme.style(.barTrack))
  }

  @Test func `a background and several attributes are read`() throws {
    let reading = ThemeCatalog.parse(
      """
      [palette]
      night = ["#000010", 16, "black"]
      [roles]
      "title" = "default on night bold underline"
      "key" = "on night"
      """, file: "t.toml")
    #expect(reading.issues.isEmpty)
    let theme = try #require(reading.theme).theme(at: .indexed256)
    #expect(
      theme.style(.title) == Style(background: .indexed(16), attributes: [.bold, .underline]))
    #expect(theme.style(.key) == Style(background: .indexed(16)))
  }

  @Test(
    arguments: [
      ("[roles]\n\n\"text.dimm\" = \"default\"", 3, ThemeIssue.Severity.warning, "text.dimm"),
      ("[colors]\na = 1", 1, .warning, "[colors]"),
      ("[theme]\nauthor = \"x\"", 2, .warning, "author"),
      ("[roles]\n# one\n\"text\" = \"sea\\u001b\"", 3, .error, "text"),
      ("[roles]\n\"text\" = \"lagoon\"", 2, .error, "lagoon"),
      ("[roles]\n\"text\" = \"sea blink\"", 2, .error, "blink"),
      ("[roles]\n\"text\" = 7", 2, .error, "quotes"),
      ("[roles]\n\"text\" = \"\"", 2, .error, "empty"),
      ("[roles]\n\"text\" = \"default on\"", 2, .error, "missing"),
      ("[roles]\n\"text\" = \"@nobody\"", 2, .error, "@nobody"),
      ("[roles]\n\"text\" = \"@title\"\n\"title\" = \"@text\"", 2, .error, "itself"),
      ("[roles]\n\"state.done\" = \"@state\"", 2, .error, "@state"),
      ("[mono]\n\"text\" = \"sea\"", 2, .error, "sea"),
      ("[palette]\nsea = [\"#12345\", 1, \"red\"]", 2, .error, "first value"),
      ("[palette]\nsea = [\"#+12345\", 1, \"red\"]", 2, .error, "first value"),
      ("[palette]\nsea = [\"#123456\", 256, \"red\"]", 2, .error, "second value"),
      ("[palette]\nsea = [\"#123456\", 1, \"rouge\"]", 2, .error, "third value"),
      ("[palette]\nsea = \"#123456\"", 2, .error, "three values"),
      ("[palette]\nbold = [\"#123456\", 1, \"red\"]", 2, .error, "bold"),
      ("[theme]\nkind = \"dusk\"", 2, .error, "dusk"),
      ("[theme]\ninherits = \"nobody\"", 2, .error, "nobody"),
      ("[theme]\nname = 5", 2, .error, "quotes"),
      ("[theme]\ncontrast = 30", 2, .error, "from 1 to 21"),
      ("[theme]\nvision = \"full\"", 2, .error, "protanopia, deuteranopia, tritanopia"),
      ("[theme]\nvision = [\"full\"]", 2, .error, "protanopia"),
      ("[glyphs]\nrunning = \">\"", 1, .warning, "[glyphs]"),
      ("[theme]\nname = \"x\n", 2, .error, ""),
      ("title = \"x\"", 1, .error, "title"),
    ])
  func `what is wrong is named with its file and line`(
    text: String, line: Int, severity: ThemeIssue.Severity, part: String
  ) throws {
    let reading = ThemeCatalog.parse(text, file: "bad.toml")
    let issue = try #require(reading.issues.first)
    #expect(issue.file == "bad.toml")
    #expect(issue.line == line)
    #expect(issue.severity == severity)
    #expect(issue.message.contains(part), "\(issue)")
    #expect((reading.theme == nil) == (severity == .error))
    #expect(issue.description.hasPrefix("bad.toml:\(line): \(severity.rawValue): "))
  }

  @Test func `a role that a file does not know is taken over from the one nearest to it`() throws {
    let reading = ThemeCatalog.parse("[roles]\n\"row.tagged\" = \"leaf bold\"", file: "t.toml")
    let theme = try #require(reading.theme).theme(at: .indexed256)
    #expect(theme.style(.composeChosen) == theme.style(.rowTagged))
    #expect(theme.style(.composeChosen) == Style(foreground: .indexed(64), attributes: .bold))
  }

  @Test func `a promise is not inherited`() throws {
    let reading = ThemeCatalog.parse("[theme]\ninherits = \"cvd-dark\"", file: "t.toml")
    let theme = try #require(reading.theme)
    #expect(theme.promise == ThemePromise())
    #expect(theme.purpose.isEmpty)
    #expect(ThemeCatalog.named("cvd-dark")?.promise.vision == [.deuteranopia, .protanopia])
  }

  @Test func `a cycle of themes is an error and ends`() throws {
    let texts = [
      "a": "[theme]\ninherits = \"b\"", "b": "[theme]\ninherits = \"c\"",
      "c": "[theme]\n\ninherits = \"a\"",
    ]
    let reading = ThemeCatalog.parse(texts["a"] ?? "", file: "a.toml") { name in
      texts[name].map { (name + ".toml", $0) }
    }
    #expect(reading.theme == nil)
    let issue = try #require(reading.issues.first)
    #expect(issue.file == "c.toml")
    #expect(issue.line == 3)
    #expect(issue.message.contains("a → b → c → a"))
  }

  @Test func `a role name without quotes is warned of`() throws {
    let reading = ThemeCatalog.parse("[roles]\ntext.dim = \"sea\"", file: "t.toml")
    let issue = try #require(reading.issues.first)
    #expect(issue.line == 2)
  }

  @Test func `names of roles are unique and lead back to the role`() {
    for role in Role.allCases { #expect(Role(named: role.name) == role) }
    #expect(Set(Role.allCases.map(\.name)).count == Role.allCases.count)
    #expect(Role.states.count == 13)
  }

  @Test func `a file that is not there is an error`() {
    let reading = ThemeCatalog.load(path: "/nonexistent/theme.toml")
    #expect(reading.theme == nil)
    #expect(reading.issues.count == 1)
  }
}

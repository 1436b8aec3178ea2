import Canvas
import Support
import Testing
import ThemeCatalog

@Suite(.scratchFolder) struct `The shelf of themes` {
  private let folder: ScratchFolder

  init() throws { folder = try #require(ScratchFolder.current) }

  private var shelf: ThemeLibrary {
    ThemeLibrary(folders: [folder.path("mine"), folder.path("machine"), folder.path("absent")])
  }

  private func running(_ reading: ThemeCatalog.Reading?) -> Color? {
    reading?.theme?.theme(at: .indexed256).style(.stateRunning).foreground
  }

  @Test func `lists the program's themes, then those of folders, with what is wrong`() throws {
    try folder.write(
      "[theme]\ninherits = \"light\"\npurpose = \"for me \\u001b[2J\"", to: "mine/zebra.toml")
    try folder.write("[roles]\n\"text\" = 7", to: "mine/alpha.toml")
    try folder.write("", to: "mine/notes.txt")
    try folder.write("", to: "mine/.hidden.toml")
    let items = ThemeList(shelf).items
    #expect(items.map(\.name) == ThemeCatalog.names + ["alpha", "zebra"])
    let zebra = try #require(items.last)
    #expect(zebra.kind == "light")
    #expect(zebra.file == folder.path("mine/zebra.toml"))
    #expect(zebra.purpose.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    let alpha = items[items.count - 2]
    #expect(alpha.kind == nil)
    #expect(alpha.error?.hasPrefix(folder.path("mine/alpha.toml:2: error: ")) == true)
    for item in items.prefix(ThemeCatalog.names.count) {
      #expect(item.file == nil && item.error == nil)
      #expect(!item.purpose.isEmpty && item.purpose.count <= 60)
    }
    #expect(ThemeList(shelf).lines.count == items.count + 1)
  }

  @Test func `the user's file goes before the machine's and both before the program`() throws {
    try folder.write("[palette]\nsea = [\"#010101\", 17, \"blue\"]", to: "machine/dark.toml")
    #expect(running(shelf.reading("dark")) == .indexed(17))
    try folder.write("[palette]\nsea = [\"#010101\", 18, \"blue\"]", to: "mine/dark.toml")
    #expect(running(shelf.reading("dark")) == .indexed(18))
    #expect(shelf.entries.count { $0.name == "dark" } == 1)
    #expect(shelf.reading("nosuch") == nil)
    #expect(shelf.reading("../mine/dark")?.theme == nil)
  }

  @Test func `a file may build on the program's theme of its own name`() throws {
    try folder.write(
      "[theme]\ninherits = \"dark\"\n[palette]\nsea = [\"#010101\", 17, \"blue\"]",
      to: "mine/dark.toml")
    let theme = try #require(shelf.reading("dark")?.theme).theme(at: .indexed256)
    #expect(theme.style(.stateRunning).foreground == .indexed(17))
    #expect(theme.style(.stateDone).foreground == .indexed(78))
    try folder.write("[palette]\nleaf = [\"#010101\", 18, \"green\"]", to: "mine/neutral.toml")
    let neutral = try #require(shelf.reading("neutral")?.theme)
    #expect(neutral.theme(at: .indexed256).style(.stateDone).foreground == .indexed(18))
    #expect(neutral.theme(at: .indexed256).style(.stateRunning).foreground == .indexed(32))
    // The program's own themes stand on the program's own, also below a file.
    try folder.write("[roles]\n\"title\" = \"ember\"", to: "mine/neutral.toml")
    try folder.write("[theme]\ninherits = \"light\"", to: "mine/top.toml")
    for name in ["light", "top"] {
      let theme = try #require(shelf.reading(name)?.theme).theme(at: .indexed256)
      #expect(theme.style(.title) == Style(attributes: .bold))
    }
  }

  @Test func `a name is not looked for in the working folder`() {
    #expect(shelf.origin(of: "README") == nil)
    #expect(shelf.origin(of: "./README") == .file("./README"))
    #expect(shelf.origin(of: "x.toml") == .file("x.toml"))
  }

  @Test func `files tell what to watch, inherited ones too`() throws {
    try folder.write("[theme]\ninherits = \"base\"", to: "mine/top.toml")
    try folder.write("", to: "machine/base.toml")
    var choice = ThemeChoice(wanted: "top", shelf: shelf)
    #expect(choice.read() == .sound)
    #expect(
      choice.files
        == ["mine/top", "machine/base", "machine/top", "absent/top"].map {
          folder.path($0 + ".toml")
        })
  }

  @Test func `a broken theme is told with file and line, and the default is worn`() throws {
    try folder.write("[roles]\n\n\"text\" = \"lagoon\"", to: "mine/top.toml")
    var choice = ThemeChoice(wanted: "top", shelf: shelf)
    let outcome = choice.read()
    let notice = try #require(outcome.notice)
    #expect(notice.hasPrefix(folder.path("mine/top.toml:3: error: text: ")))
    #expect(notice.hasSuffix("the theme neutral is used"))
    #expect(choice.definition.name == "neutral")
  }

  @Test func `a theme that gets errors while it is worn stays as it was`() throws {
    try folder.write("[palette]\nsea = [\"#010101\", 17, \"blue\"]", to: "mine/top.toml")
    var choice = ThemeChoice(wanted: "top", shelf: shelf)
    #expect(choice.read() == .sound)
    try folder.write("[palette]\nsea = [", to: "mine/top.toml")
    let broken = try #require(choice.read().notice)
    #expect(broken.hasPrefix(folder.path("mine/top.toml:2: error: ")))
    #expect(broken.hasSuffix("; the colours stay as they were"))
    #expect(choice.definition.theme(at: .indexed256).style(.spark).foreground == .indexed(17))
    try folder.write(
      "[palette]\nsea = [\"#010101\", 18, \"blue\"]\n[roles]\n\"x\" = \"sea\"", to: "mine/top.toml")
    #expect(choice.read().notice?.contains("unknown role") == true)
    #expect(choice.definition.theme(at: .indexed256).style(.spark).foreground == .indexed(18))
  }

  @Test func `an unknown name is told with those there are`() {
    var choice = ThemeChoice(wanted: "nosuch", shelf: shelf)
    let notice = choice.read().notice
    #expect(notice?.contains("nosuch") == true)
    #expect(notice?.contains("solarized-dark") == true)
    #expect(choice.definition.name == "neutral")
    choice.requestedTheme = "auto"
    choice.background.answer = RGB(255, 255, 255)
    #expect(choice.read() == .sound)
    #expect(choice.definition.name == "light")
  }
}

import Canvas
import FoundationEssentials
import Testing

@testable import ThemeCatalog

@Suite struct `Theme files` {
  @Test(arguments: ThemeCatalog.names)
  func `every shipped theme is read without an issue and decides every role`(
    name: String
  ) throws {
    let theme = try #require(ThemeCatalog.named(name))
    #expect(theme.name == name)
    for role in Role.allCases { #expect(theme.roles[role] != nil, "\(role.name)") }
    for level in ColorLevel.allCases {
      let resolved = theme.theme(at: level)
      #expect(resolved.level == (theme.kind == .mono ? .mono : level))
      // Which states look alike must be told apart by glyph and word; the ones that matter differ.
      let looks = Set(
        [Role.stateRunning, .stateDone, .stateFailed, .stateAbort, .stateAsk].map {
          resolved.style($0)
        })
      #expect(looks.count >= 4)
    }
  }

  @Test(arguments: ThemeCatalog.names)
  func `without colours only attributes are left`(name: String) throws {
    let theme = try #require(ThemeCatalog.named(name)).theme(at: .mono)
    for role in Role.allCases {
      #expect(theme.style(role).foreground == .terminalDefault)
      #expect(theme.style(role).background == .terminalDefault)
    }
    #expect(theme.style(.stateFailed).attributes == [.bold, .reverse])
    #expect(theme.style(.stateAbort).attributes == [.bold, .underline])
    #expect(theme.style(.barFill, state: .stateFailed) == .plain)
  }

  @Test(arguments: ThemeCatalog.names)
  func `no shipped theme uses bright colours at level 16 or paints a background`(
    name: String
  ) throws {
    let definition = try #require(ThemeCatalog.named(name))
    for level in ColorLevel.allCases {
      let theme = definition.theme(at: level)
      for role in Role.allCases {
        #expect(theme.style(role).background == .terminalDefault)
        guard level == .ansi16, case .indexed(let index) = theme.style(role).foreground else {
          continue
        }
        #expect(index < 8)
      }
    }
  }

  @Test(
    arguments: [
      ("neutral", 3.0), ("dark", 4.5), ("light", 4.5), ("high-contrast-dark", 7.0),
      ("high-contrast-light", 6.2), ("cvd-dark", 4.5), ("cvd-light", 4.5), ("cvd-tritan", 4.5),
      ("solarized-dark", 3.0), ("solarized-light", 3.0), ("fjord", 4.5), ("hearth", 4.5),
      ("dusk", 4.5), ("parchment", 4.5),
    ], [ColorLevel.truecolor, .indexed256])
  func `every role is readable on every background the theme is made for`(
    theme: (name: String, least: Double), level: ColorLevel
  ) throws {
    let resolved = try #require(ThemeCatalog.named(theme.name)).theme(at: level)
    var checked = 0
    for role in Role.allCases {
      guard let contrast = resolved.contrast(of: role) else { continue }
      checked += 1
      #expect(contrast >= theme.least, "\(role.name) \(contrast)")
    }
    #expect(checked >= 15)
  }

  @Test(
    arguments: [
      ("neutral", ColorVision.full, 25.0), ("dark", .full, 40), ("light", .full, 25),
      ("high-contrast-dark", .full, 40), ("high-contrast-light", .full, 25),
      ("cvd-dark", .full, 27), ("cvd-dark", .deuteranopia, 26), ("cvd-dark", .protanopia, 27),
      ("cvd-light", .full, 40), ("cvd-light", .deuteranopia, 40), ("cvd-light", .protanopia, 40),
      ("cvd-tritan", .full, 35), ("cvd-tritan", .tritanopia, 35),
    ])
  func `the colours of running, done, failed and warnings can be told apart`(
    name: String, vision: ColorVision, least: Double
  ) throws {
    for level in [ColorLevel.truecolor, .indexed256] {
      let theme = try #require(ThemeCatalog.named(name)).theme(at: level)
      let distance = try #require(theme.closestStates(vision: vision)).distance
      #expect(distance >= least, "\(level) \(distance)")
    }
  }

  @Test(arguments: [ThemeCatalog.names])
  func `colours at level 256 are close to those in truecolor`(names: [String]) throws {
    for name in names {
      let definition = try #require(ThemeCatalog.named(name))
      let (direct, indexed) = (definition.theme(at: .truecolor), definition.theme(at: .indexed256))
      for role in Role.allCases {
        guard let one = RGB(direct.style(role).foreground),
          let two = RGB(indexed.style(role).foreground)
        else { continue }
        // Solarized is what it is, and the 256 have little like it.
        let most = name.hasPrefix("solarized") ? 20.0 : 15
        #expect(one.distance(to: two) < most, "\(name) \(role.name)")
      }
    }
  }
}

@Suite struct `The catalog` {
  @Test func `every file of the folder is in the program and passes the check`() throws {
    var folder = URL(filePath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.appending(path: "Themes").path)
    let names = files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    #expect(Set(names) == Set(ThemeCatalog.names))
    #expect(names.count == ThemeCatalog.names.count)
    for name in names {
      let reading = ThemeCatalog.load(path: folder.appending(path: "Themes/\(name).toml").path)
      let theme = try #require(reading.theme)
      #expect(!theme.purpose.isEmpty)
      let report = ThemeReport(theme, issues: reading.issues)
      #expect(report.findings.isEmpty, "\(report.findings)")
      let hasColors = !["mono", "ansi16"].contains(name)
      #expect(report.rows.contains { $0.contrast != nil } == hasColors)
    }
  }

  @Test func `a theme outside inherits from the one beside it before the program's`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let base = folder.appending(path: "base.toml")
    try Data("[palette]\nsea = [\"#010203\", 17, \"cyan\"]".utf8).write(to: base)
    let mine = folder.appending(path: "mine.toml")
    try Data("[theme]\ninherits = \"base\"".utf8).write(to: mine)
    let link = folder.appending(path: "link.toml")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: mine)
    for file in [mine, link] {
      let reading = ThemeCatalog.load(path: file.path)
      #expect(reading.issues.isEmpty)
      let theme = try #require(reading.theme).theme(at: .truecolor)
      #expect(theme.style(.stateRunning).foreground == .rgb(1, 2, 3))
    }
    #expect(ThemeCatalog.load(path: folder.path).theme == nil)
    try Data([0x5B, 0xFF, 0xFE]).write(to: mine)
    #expect(ThemeCatalog.load(path: mine.path).theme == nil)
  }
}

import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Themes on the command line` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func fettle(_ arguments: String...) async throws -> Answer {
    var environment = ToolOutput.plain
    environment["HOME"] = folder.path
    environment["XDG_CONFIG_HOME"] = folder.path("config")
    let output = try await ToolOutput.of(
      TestUser.prefix + [EngineUnderTest.path("fettle")] + arguments, environment: environment)
    return Answer(status: output.status, output: output.output, errors: output.errors)
  }

  @Test func `theme list names each with kind and purpose, those of the user too`() async throws {
    try TestFolder.makeFolder(folder.path("config/fettle/themes"))
    try TestFolder.write(
      "[theme]\ninherits = \"dark\"\npurpose = \"mine\"\n",
      to: folder.path("config/fettle/themes/own.toml"))
    let lines = try await fettle("theme", "list")
    #expect(lines.status == 0)
    #expect(lines.output.contains("solarized-light"))
    #expect(lines.output.split(separator: "\n").last?.hasSuffix("mine") == true)
    let json = try (try await fettle("theme", "list", "--json")).json
    let own = try #require(json.elements.last)
    #expect(own["name"]?.string == "own")
    #expect(own["kind"]?.string == "dark")
    #expect(own["file"]?.string == folder.path("config/fettle/themes/own.toml"))
  }

  @Test func `theme check is 0 for a sound theme, 1 with findings, 64 for one that is broken`()
    async throws
  {
    let sound = try await fettle("theme", "check", "dusk")
    #expect(sound.status == 0)
    #expect(sound.output.hasSuffix("sound\n"))
    #expect(!sound.output.contains("\u{1B}"))
    let path = folder.path("t.toml")
    try TestFolder.write("[palette]\nsea = [\"#101010\", 233, \"blue\"]\n", to: path)
    let faint = try await fettle("theme", "check", path)
    #expect(faint.status == 1)
    #expect(faint.output.contains("state.running has contrast 1.1 on black, less than 3.0"))
    let sheet = try await fettle("theme", "check", path, "--json")
    #expect(sheet.status == 1)
    #expect(try sheet.json["findings"]?.elements.first?["rule"]?.string == "contrast")
    try TestFolder.write("[roles]\n\"text\" = \"lagoon\"\n", to: path)
    let broken = try await fettle("theme", "check", path)
    #expect(broken.status == 64)
    #expect(broken.errors.hasPrefix("fettle: \(path):2: error: text: "))
    let answer = try await fettle("theme", "check", path, "--json")
    #expect(answer.status == 64)
    #expect(try answer.json["error"]?["message"]?.string?.contains("lagoon") == true)
    let unknown = try await fettle("theme", "check", "nosuch")
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("nosuch"))
  }

  @Test func `what was chosen in the monitor holds until the settings say something else`()
    async throws
  {
    try TestFolder.makeFolder(folder.path("config/fettle"))
    try TestFolder.makeFolder(folder.path(".local/state/fettle"))
    try TestFolder.write("readOnly = true\n", to: folder.path("config/fettle/config.toml"))
    try TestFolder.write(
      "[chosen]\ntheme = \"nosuch-choice\"\n",
      to: folder.path(".local/state/fettle/monitor.toml"))
    let monitor = MonitorUnderTest(["try", "--simulated", "demo"], folder: folder)
    try await monitor.screen("the choice") { $0.contains("nosuch-choice: error") }
    try await monitor.screen("the settings") { $0.contains("read-only") }
    await leave(monitor)
    try TestFolder.write("theme = \"nosuch-set\"\n", to: folder.path("config/fettle/config.toml"))
    let again = MonitorUnderTest(["try", "--simulated", "demo"], folder: folder)
    try await again.screen("the settings") {
      $0.contains("nosuch-set: error") && $0.contains("is used (set in")
    }
    await leave(again)
  }

  /// Leaves a try and waits for its end: its engine works in the test's folder.
  private func leave(_ monitor: MonitorUnderTest) async {
    monitor.type("q")
    await monitor.terminal.wait { String(decoding: $0, as: UTF8.self).contains("Abort them (a)") }
    monitor.type("a\n")
    #expect(await monitor.end() == .exit(0))
  }

  @Test(arguments: ["ascii = 1\n", "theme = 1979-05-27T\n", "[mode]\nx = 1\n"])
  func `a settings file with errors stops no monitor, which names file and line`(text: String)
    async throws
  {
    try TestFolder.makeFolder(folder.path("config/fettle"))
    try TestFolder.write(text, to: folder.path("config/fettle/config.toml"))
    let engine = try await EngineUnderTest()
    let monitor = MonitorUnderTest(["--socket", engine.socket], folder: folder)
    try await monitor.screen("the jobs, and what is wrong") {
      $0.contains("live") && $0.contains("config.toml:1: ")
    }
    monitor.type("q")
  }

  @Test func `a theme of the settings with errors is told in the monitor, and corrected live`()
    async throws
  {
    try TestFolder.makeFolder(folder.path("config/fettle/themes"))
    let path = folder.path("config/fettle/themes/own.toml")
    try TestFolder.write("[roles]\n\n\"text\" = \"lagoon\"\n", to: path)
    try TestFolder.write("theme = \"own\"\n", to: folder.path("config/fettle/config.toml"))
    // Without jobs, whose ends are told in the same line.
    let engine = try await EngineUnderTest()
    let monitor = MonitorUnderTest(["--socket", engine.socket], folder: folder)
    try await monitor.screen("the warning") { $0.contains("own.toml:3: error") }
    try TestFolder.write("[roles]\n\"title\" = \"default\"\n\"nosuch\" = \"sea\"\n", to: path)
    try await monitor.screen("the warning about the new file") { $0.contains("own.toml:3: warn") }
    monitor.type("q")
  }
}

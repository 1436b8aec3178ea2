import Testing

@testable import Bench

@Suite struct `Choosing sections` {
  private func names(_ words: [String]) throws -> [String] {
    try SectionCatalog.named(words).map { $0.name }
  }

  @Test func `a section is named once, however often it is asked for`() throws {
    #expect(try names(["monitor", "monitor"]) == ["monitor"])
    #expect(try names(["all", "monitor"]) == SectionCatalog.figures.map { $0.name })
  }

  @Test func `all measures, and a proof is asked for by its name`() throws {
    #expect(try names(["all"]).contains("soak") == false)
    #expect(try names(["soak", "monitor"]) == ["soak", "monitor"])
  }

  @Test func `no word and an unknown word say what there is`() {
    let missing = #expect(throws: CannotMeasure.self) { try names([]) }
    #expect(missing?.description.contains("monitor") == true)
    let unknown = #expect(throws: CannotMeasure.self) { try names(["monitor", "nosuch"]) }
    #expect(unknown?.message == "there is no section 'nosuch'")
  }

  @Test func `a peer's version is the first word with a digit in front`() {
    #expect(InstalledProgram.version(in: "btop version: 1.2.13  ") == "1.2.13")
    #expect(InstalledProgram.version(in: "htop 3.2.2 (c) 2004") == "3.2.2")
    #expect(InstalledProgram.version(in: "none") == nil)
  }
}

import Support
import Testing

@Suite struct `The page of guidelines` {
  /// The folder of the repository.
  private static let repository = #filePath.split(separator: "/").dropLast(3)
    .reduce("") { $0 + "/" + $1 }

  /// The texts of all Swift files below a folder.
  private static func texts(below folder: String) -> [String] {
    TestFolder.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      guard name.hasSuffix(".swift") else { return texts(below: path) }
      return TestFolder.text(of: path).map { [$0] } ?? []
    }
  }

  @Test func `R15: has every rule, each with tests that there are`() throws {
    let page = try #require(
      TestFolder.text(of: Self.repository + "/Sources/InstallJobs/InstallJobs.docc/Guidelines.md"))
    let tests = Set(
      Self.texts(below: Self.repository + "/Tests").flatMap { text in
        text.matches(of: /func `([^`]+)`/).map { String($0.output.1) }
      })
    #expect(tests.count > 500)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| R") && $0.contains(". ") }
    #expect(
      rows.map { $0.dropFirst(2).prefix { $0 != "." } } == (1...14).map { Substring("R\($0)") })
    for row in rows {
      let shown = try #require(row.split(separator: "|").dropLast(row.hasSuffix("|") ? 0 : 1).last)
      let names = shown.matches(of: /`([^`]+)`/).map { String($0.output.1) }
      #expect(!names.isEmpty, "\(row)")
      for name in names { #expect(tests.contains(name), "no test is named '\(name)'") }
    }
  }
}

import Support
import Testing

/// The page about the contract, the names of tests and the comments name the same rows.
@Suite struct `The page about the contract` {
  /// The folder of the repository.
  private static let repository = #filePath.split(separator: "/").dropLast(3)
    .reduce("") { $0 + "/" + $1 }
  private static let sources = texts(below: repository + "/Sources")
  private static let tests = texts(below: repository + "/Tests")

  /// The texts of all Swift files below a folder.
  private static func texts(below folder: String) -> [String] {
    TestFolder.names(in: folder).flatMap { name -> [String] in
      let path = folder + "/" + name
      guard name.hasSuffix(".swift") else { return texts(below: path) }
      return TestFolder.text(of: path).map { [$0] } ?? []
    }
  }

  /// The rows of the page: the id, and the name of the test that shows it or `documentation`.
  private static func rows() throws -> [(id: String, test: String)] {
    let path = repository + "/Sources/InstallJobs/InstallJobs.docc/Contract.md"
    let page = try #require(TestFolder.text(of: path))
    return page.matches(of: /\n\| ([A-Z]\d+) \| [^\n]+ \| `?([^`\n]+)`? \|/)
      .map { (String($0.output.1), String($0.output.2)) }
  }

  /// The ids in a text, each id of a range such as `B15 to B22`.
  private static func ids(in text: Substring) -> Set<String> {
    var ids: Set<String> = []
    for match in text.matches(of: /([A-Z])(\d+)(?: to [A-Z](\d+))?/) {
      let (_, letter, first, last) = match.output
      guard let low = Int(first), let high = Int(last ?? first), low <= high else { continue }
      for number in low...high { ids.insert("\(letter)\(number)") }
    }
    return ids
  }

  /// The ids at the beginning of names in backticks and of strings, followed by a colon.
  private static func labels(in text: String) -> Set<String> {
    text.matches(of: /["`](?:[A-Z]\d+(?:\.\d+)?,? )*[A-Z]\d+(?:\.\d+)?:[ ]/)
      .reduce(into: Set<String>()) { $0.formUnion(ids(in: $1.output)) }
  }

  /// The ids in the comments of a text: after a word such as "row", or alone in parentheses.
  private static func mentions(in text: String) -> Set<String> {
    let comments = text.split(separator: "\n").map { line -> Substring in
      guard let start = line.firstRange(of: "//")?.upperBound else { return "\u{0}" }
      return line[start...].drop { $0 == "/" || $0 == " " }
    }
    let word = /\b(?:rows?|measurements?|experiments?|idea|matrix) (?:[A-Z]\d+(?: to |, | and )?)+/
    let alone = /\((?:[A-Z]\d+(?: to |, | and )?)+\)/
    let line = comments.joined(separator: " ")
    return (line.matches(of: word) + line.matches(of: alone))
      .reduce(into: Set<String>()) { $0.formUnion(ids(in: $1.output)) }
  }

  @Test func `has every row that a test names, once, and none that nothing names`() throws {
    let ids = try Self.rows().map(\.id)
    #expect(Set(ids).count == ids.count)
    let labels = Self.tests.reduce(into: Set<String>()) { $0.formUnion(Self.labels(in: $1)) }
    #expect(labels.count > 200)
    #expect(labels.subtracting(ids).isEmpty, "\(labels.subtracting(ids))")
    let named = (Self.sources + Self.tests).reduce(into: labels) {
      $0.formUnion(Self.mentions(in: $1))
    }
    #expect(Set(ids).subtracting(named).isEmpty, "\(Set(ids).subtracting(named))")
  }

  @Test func `names for each row a test that shows it, and says where there is none`() throws {
    var shown: [String: Set<String>] = [:]
    for text in Self.tests {
      // Strings only: rows that a test of the file has as its arguments.
      let arguments = Self.labels(in: text.replacing("`", with: " "))
      for match in text.matches(of: /func `([^`]+)`/) {
        let own = Self.labels(in: "`" + match.output.1)
        shown[String(match.output.1), default: []].formUnion(own.union(arguments))
      }
    }
    for row in try Self.rows() {
      let isShown = shown[row.test]?.contains(row.id) == true
      let isNamed = shown.values.contains { $0.contains(row.id) }
      #expect(row.test == "documentation" ? !isNamed : isShown, "\(row)")
    }
  }

  @Test func `has every row that a comment names`() throws {
    let ids = Set(try Self.rows().map(\.id))
    let named = Self.sources.reduce(into: Set<String>()) { $0.formUnion(Self.mentions(in: $1)) }
    #expect(named.count > 100)
    #expect(named.subtracting(ids).isEmpty, "\(named.subtracting(ids))")
  }
}

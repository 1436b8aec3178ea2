import Testing

@testable import InstallJobs

@Suite struct `The answer to a search` {
  private func details(_ number: Int, fields: Int = 0) -> UpdateDetails {
    var details = UpdateDetails(name: "p\(number)", version: "1", architecture: "all")
    for field in 0..<fields {
      details.otherFields["X-\(field)"] = String(repeating: "x", count: 500)
    }
    return details
  }

  @Test func `S8: long records are told up to a bound of bytes, and that is said`() {
    let found = (0..<1000).map { details($0, fields: 60) }
    let answer = UpdateCriteria(limit: 1000).answer(found)
    #expect((100..<200).contains(answer.updates.count))
    #expect(answer.updates == Array(found.prefix(answer.updates.count)))
    #expect(answer.warnings.map(\.code) == [.tooManyMatches])
    let short = (0..<1000).map { details($0, fields: 4) }
    #expect(UpdateCriteria(limit: 1000).answer(short) == UpdateSearchResult(updates: short))
  }

  @Test func `S8: packages that were not looked at are told apart from too many answers`() {
    let found = [details(1), details(2)]
    let cut = UpdateCriteria(limit: 1).answer(found).warnings
    let unseen = UpdateCriteria(limit: 5).answer(found, isWhole: false).warnings
    #expect(cut.map(\.code) == unseen.map(\.code))
    #expect(cut.map(\.message) != unseen.map(\.message))
  }

  @Test(
    arguments: [
      ("1.0~rc1", "Debian:bookworm/main", true), ("2.0~beta3-1", nil, true), ("1.0", nil, false),
      ("1.0-1~deb12u1", nil, false), ("1.0~bpo12+1", nil, false), ("1.0~preview", nil, true),
      ("1.0~build2", nil, false),
      ("1.0~pre2", nil, true), ("1.0~git20240101", nil, true),
      ("1.0", "Debian:experimental/main", true),
      ("1.0", "Ubuntu:noble-proposed/main", true),
    ] as [(String, String?, Bool)])
  func `U43: versions that are not final are told by number or archive`(
    version: String, origin: String?, isPrerelease: Bool
  ) {
    var details = UpdateDetails(name: "a", version: version, architecture: "all")
    details.origin = origin
    #expect(details.isPrerelease == isPrerelease)
  }

  @Test(arguments: ["a\0b", "a\u{1B}[31m", "\u{7F}"])
  func `S8: a text with control characters is refused, whatever separates its words`(text: String) {
    let error = #expect(throws: InstallationError.self) {
      try UpdateCriteria(text: text).validate()
    }
    #expect(error?.code == .invalidArgument)
    #expect(throws: Never.self) { try UpdateCriteria(text: "a\tb\nc").validate() }
  }
}

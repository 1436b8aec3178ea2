import Testing

@testable import Fuzz

@Suite struct `Inputs that nobody would write` {
  @Test(arguments: FuzzCatalog.names)
  func `each reader keeps its promises`(name: String) throws {
    let target = try #require(FuzzCatalog.named(name))
    let result = FuzzRun(seed: 2026, count: 2_000).result(of: target)
    #expect(result.inputs == 2_000)
    for failure in result.failures {
      Issue.record("\(failure.promise)\n  \(InputLiteral.text(of: failure.input))")
    }
  }

  @Test(arguments: FuzzCatalog.names)
  func `what once broke a promise keeps it, and so does what others are made from`(
    name: String
  ) throws {
    let target = try #require(FuzzCatalog.named(name))
    for input in (Corpus.all[name] ?? []) + target.seeds {
      #expect(throws: Never.self, "\(InputLiteral.text(of: input))") { try target.check(input) }
    }
  }

  @Test func `the corpus names targets that there are`() {
    #expect(Set(Corpus.all.keys).isSubset(of: FuzzCatalog.names))
  }
}

import Testing

@testable import Bench

@Suite struct `What is installed to compare` {
  @Test func `the packages of the install are the same each time, and one needs them all`() {
    let recipes = InstallRecipes.made(InstallRecipes.count(.full))
    #expect(recipes == InstallRecipes.made(InstallRecipes.count(.full)))
    #expect(recipes.count == 166)
    #expect(Self.needed(by: InstallRecipes.wanted, in: recipes) == Set(recipes.map(\.name)))
    #expect(recipes.contains { $0.hasConffile } && recipes.contains { !$0.hasScript })
  }

  @Test func `no package needs one that comes after it`() {
    for recipes in [InstallRecipes.made(165), TruthRecipes.made(100)] {
      var before: Set<String> = []
      for recipe in recipes {
        #expect(before.isSuperset(of: recipe.dependencies))
        #expect(before.insert(recipe.name).inserted)
      }
    }
  }

  @Test func `the run that is judged has a hundred packages, unlike in size and in work`() throws {
    let recipes = TruthRecipes.made(TruthRecipes.count(.full))
    #expect(recipes.count == 100)
    #expect(Self.needed(by: TruthRecipes.wanted, in: recipes).count == 100)
    let sizes = recipes.map(\.size)
    #expect(try #require(sizes.max()) > 100 * (try #require(sizes.min())))
  }

  @Test func `each job of the queue needs its own packages and no other's`() {
    let load = QueueLoad(.full)
    let jobs = load.wanted.map { Self.needed(by: $0, in: load.recipes) }
    #expect(load.jobs == 8 && jobs.allSatisfy { $0.count == load.packages })
    #expect(jobs.reduce(into: Set()) { $0.formUnion($1) }.count == load.recipes.count)
  }

  @Test(arguments: [(50_000_000, 3.0, 5.0), (50_000_000, 7.5, 7.5), (0, 2, 2)])
  func `the bound is the longer of all downloads and all work`(
    bytes: Int, work: Double, bound: Double
  ) {
    #expect(QueueLoad.bound(bytes: bytes, work: work) == bound)
  }

  @Test func `a hollow package and a waiting one say so in what is built`() {
    #expect(PackageRecipe(name: "a", waits: true).script.contains("while :"))
    #expect(PackageRecipe(name: "a", pause: 7).script.contains("sleep 0.007"))
  }

  /// Everything that a package needs, itself included.
  private static func needed(by name: String, in recipes: [PackageRecipe]) -> Set<String> {
    let known = Dictionary(uniqueKeysWithValues: recipes.map { ($0.name, $0.dependencies) })
    var found: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      if found.insert(next).inserted { open += known[next] ?? [] }
    }
    return found
  }
}

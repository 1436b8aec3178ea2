/// The made-up packages of the install: as a real install has them, few are large and many need
/// others.
enum InstallRecipes: Sendable {
  /// How many there are, beside the one that needs them all.
  static func count(_ effort: Effort) -> Int { effort == .full ? 165 : 11 }

  /// The package that is asked for: it needs, by way of others, all of them.
  static let wanted = "voyage"

  /// So many packages and the one that needs them; the same for the same count.
  ///
  /// A package needs up to three of those before it. Every third has a script, every fifth a
  /// configuration file; one in sixteen is ten times as large as the others.
  static func made(_ count: Int) -> [PackageRecipe] {
    var chance = Irregular(seed: 166)
    var recipes: [PackageRecipe] = []
    var needed: Set<String> = []
    for number in 0..<count {
      let dependencies = Set(
        (0..<chance.next(below: 4)).compactMap { _ in
          recipes.isEmpty ? nil : recipes[chance.next(below: recipes.count)].name
        })
      needed.formUnion(dependencies)
      let size = 4_000 + chance.next(below: 40_000)
      recipes.append(
        PackageRecipe(
          name: "crate-\(number + 1)", dependencies: dependencies.sorted(),
          pause: chance.next(below: 20), size: number % 16 == 15 ? size * 10 : size,
          hasScript: number % 3 == 0, hasConffile: number % 5 == 0))
    }
    let rest = recipes.map(\.name).filter { !needed.contains($0) }
    return recipes + [PackageRecipe(name: wanted, dependencies: rest, pause: 5, size: 4_000)]
  }
}

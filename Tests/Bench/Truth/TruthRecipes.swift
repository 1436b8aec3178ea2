/// The made-up packages of the run whose progress is judged: unlike in what they cost, as real ones
/// are.
enum TruthRecipes: Sendable {
  /// What the mirror gives away in a second.
  static let bytesPerSecond = 4_000_000.0
  /// The package that is asked for.
  static let wanted = "atlas"

  /// How many there are, the one that is asked for included.
  static func count(_ effort: Effort) -> Int { effort == .full ? 100 : 12 }

  /// So many packages; the same for the same count.
  ///
  /// One in ten is large to fetch, another one in ten takes long to configure.
  static func made(_ count: Int) -> [PackageRecipe] {
    var chance = Irregular(seed: 100)
    var recipes: [PackageRecipe] = []
    for number in 1..<count {
      let before = recipes.isEmpty ? nil : recipes[chance.next(below: recipes.count)].name
      recipes.append(
        PackageRecipe(
          name: "map-\(number)",
          dependencies: number.isMultiple(of: 2) ? [before].compactMap(\.self) : [],
          pause: number % 10 == 7 ? 300 + chance.next(below: 300) : chance.next(below: 30),
          size: number % 10 == 3
            ? 800_000 + chance.next(below: 800_000) : 5_000 + chance.next(below: 60_000),
          hasScript: number % 10 == 7 || number.isMultiple(of: 3)))
    }
    return recipes + [
      PackageRecipe(name: wanted, dependencies: recipes.map(\.name), pause: 10, size: 4_000)
    ]
  }
}

/// How many lines are written, and the packages that they are about.
struct LatencyLoad: Sendable, Hashable {
  /// Marks that come alone.
  let alone: Int
  /// Bursts of lines, each with a mark behind it.
  let bursts: Int
  /// From one burst to the next.
  static let interval = Duration.milliseconds(100)
  /// Packages in a burst; with eight lines each, 10,000 lines a second.
  static let crowd = 125

  init(_ effort: Effort) {
    (alone, bursts) = effort == .full ? (120, 40) : (8, 4)
  }

  /// The package that is really worked on meanwhile: its script waits.
  static let gate = "gate"
  /// The package that is asked for.
  static let wanted = "wanted"

  /// The packages of a burst.
  func crowd(of burst: Int) -> [String] {
    (0..<Self.crowd).map { StatusMark.crowdName(burst * Self.crowd + $0) }
  }

  /// Packages between two marks, more than a small screen has rows; nothing is told of them.
  static let spacing = 16

  private static func spacer(_ number: Int) -> String {
    StatusMark.crowdName(1_000_000 + number)
  }

  /// All packages; only the first one is ever opened by dpkg.
  var recipes: [PackageRecipe] {
    // apt takes them in this order: no screen that shows a mark, or a package of the crowd, may show
    // the next mark, too, before its time.
    var names: [String] = []
    for mark in 0..<alone + bursts {
      let spacers = (0..<Self.spacing).map { Self.spacer(mark * Self.spacing + $0) }
      names += [StatusMark.name(mark)] + spacers
    }
    for burst in 0..<bursts { names += crowd(of: burst) }
    return [PackageRecipe(name: Self.gate, waits: true)]
      + names.map { PackageRecipe(name: $0, dependencies: [Self.gate], isHollow: true) }
      + [PackageRecipe(name: Self.wanted, dependencies: names, isHollow: true)]
  }
}

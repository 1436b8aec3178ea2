/// An index of a scenario's packages by name, for fast lookup.
package struct ScenarioIndex: Sendable {
  /// The scenario of the packages.
  package let scenario: Scenario
  // Positions in the scenario's list, in its order.
  private let named: [String: [Int]]
  private let needing: [String: [Int]]

  /// Builds the index from a scenario's list of packages.
  package init(_ scenario: Scenario) {
    self.scenario = scenario
    var (named, needing): ([String: [Int]], [String: [Int]]) = ([:], [:])
    for (place, package) in scenario.packages.enumerated() {
      named[package.name, default: []].append(place)
      for name in Set(package.dependencies) { needing[name, default: []].append(place) }
    }
    (self.named, self.needing) = (named, needing)
  }

  /// Returns all versions and architectures of a package, in the scenario's order: the newest is
  /// last.
  func packages(named name: String) -> [SimulatedPackage] {
    named[name, default: []].map { scenario.packages[$0] }
  }

  /// Returns all versions of a package for one architecture, in the scenario's order.
  func packages(named name: String, _ architecture: String) -> [SimulatedPackage] {
    packages(named: name).filter { $0.architecture == architecture }
  }

  /// Returns the newest version of a package by its database key; nil if the scenario has none.
  func newest(key: String) -> SimulatedPackage? {
    let name = key.prefix { $0 != ":" }
    return packages(named: String(name)).last { $0.key == key }
  }

  /// Returns the packages that depend on the package `name`, in the scenario's order.
  func packages(needing name: String) -> [SimulatedPackage] {
    needing[name, default: []].map { scenario.packages[$0] }
  }
}

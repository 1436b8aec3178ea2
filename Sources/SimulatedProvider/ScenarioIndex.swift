/// Looks up the packages of a scenario by name, without a walk over all of them.
package struct ScenarioIndex: Sendable {
  /// The scenario whose packages these are.
  package let scenario: Scenario
  // Places in the scenario's list, in its order.
  private let named: [String: [Int]]
  private let needing: [String: [Int]]

  /// Reads a scenario's list of packages once.
  package init(_ scenario: Scenario) {
    self.scenario = scenario
    var (named, needing): ([String: [Int]], [String: [Int]]) = ([:], [:])
    for (place, package) in scenario.packages.enumerated() {
      named[package.name, default: []].append(place)
      for name in Set(package.dependencies) { needing[name, default: []].append(place) }
    }
    (self.named, self.needing) = (named, needing)
  }

  /// Every version and architecture of a package, in the scenario's order: the newest comes last.
  func packages(named name: String) -> [SimulatedPackage] {
    named[name, default: []].map { scenario.packages[$0] }
  }

  /// Every version of a package in one architecture, in the scenario's order.
  func packages(named name: String, _ architecture: String) -> [SimulatedPackage] {
    packages(named: name).filter { $0.architecture == architecture }
  }

  /// The newest version of a package by its key in the database; nil where the scenario has none.
  func newest(key: String) -> SimulatedPackage? {
    let name = key.prefix { $0 != ":" }
    return packages(named: String(name)).last { $0.key == key }
  }

  /// The packages that name one among their dependencies, in the scenario's order.
  func packages(needing name: String) -> [SimulatedPackage] {
    needing[name, default: []].map { scenario.packages[$0] }
  }
}

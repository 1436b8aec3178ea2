/// A package root on which promises are proved, asked by the machine's own tools.
protocol ProvingRoot: Sendable {
  /// The packages that jobs may name.
  var offered: [String] { get }

  /// What the package database says.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be asked.
  func installed() async throws -> InstalledPackages

  /// What `dpkg --audit` says; empty when all is well.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be asked.
  func audit() async throws -> String

  /// How often each package was configured since the root was made.
  var configurations: [String: Int] { get }
}

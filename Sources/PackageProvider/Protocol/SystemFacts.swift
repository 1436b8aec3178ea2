package import InstallJobs

/// Facts about a package system and its machine.
package struct SystemFacts: Sendable, Hashable {
  /// Versions of the package tools, by tool name.
  package var toolVersions: [String: String] = [:]
  /// The name of the operating system.
  package var operatingSystem: String?
  /// The support URL of the operating system's vendor.
  package var supportLink: String?
  /// Packages that are not completely installed while no process works on them.
  package var unfinishedPackages: [String] = []
  /// Time of the last index refresh; nil where there is no index.
  package var lastRefreshedAt: Timestamp?

  /// Creates facts that are all unknown.
  package init() {}
}

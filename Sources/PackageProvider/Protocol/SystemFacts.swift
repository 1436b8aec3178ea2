package import InstallJobs

/// Facts about a package system and its machine.
package struct SystemFacts: Sendable, Hashable {
  /// Versions of the package tools, by tool name.
  package var toolVersions: [String: String] = [:]
  /// The name of the operating system.
  package var operatingSystem: String?
  /// The support URL of the operating system's vendor.
  package var supportLink: String?
  /// Packages that are not completely installed; nil where that cannot be read, because a process works
  /// on them or the package lock cannot be looked at.
  package var unfinishedPackages: [String]? = []
  /// Time of the last index refresh; nil where there is no index.
  package var lastRefreshedAt: Timestamp?

  /// Creates facts of which only is known that every package is whole.
  package init() {}
}

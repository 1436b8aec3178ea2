package import InstallJobs

/// What a package system knows about itself and its machine, beside packages and jobs.
package struct SystemFacts: Sendable, Hashable {
  /// Versions of its tools by their names.
  package var toolVersions: [String: String] = [:]
  /// What the machine's system calls itself.
  package var operatingSystem: String?
  /// Where the system's maker has people look for help.
  package var supportLink: String?
  /// Packages that are in the middle of something while nobody works on them.
  package var unfinishedPackages: [String] = []
  /// When the package index was fetched last; nil where there is none.
  package var lastRefreshedAt: Timestamp?

  /// Nothing is known.
  package init() {}
}

import HostSystem
package import InstallJobs
package import PackageProvider

extension AptProvider {
  /// Returns facts about apt, dpkg and the root's operating system (rows S2, S4, S6, S10).
  ///
  /// - Throws: `badRoot` where the package database cannot be read; `internal` where a tool fails.
  package func systemFacts() async throws(InstallationError) -> SystemFacts {
    var facts = SystemFacts()
    for (tool, path) in [("apt", "/usr/bin/apt-get"), ("dpkg", "/usr/bin/dpkg")] {
      let run = try await Tool(path).run(["--version"], environment: Tool.plain)
      // `apt 2.6.1 (amd64)`, `Debian 'dpkg' package management program version 1.21.22 (amd64).`
      let words = run.lines.first?.split(separator: " ") ?? []
      guard run.status == 0, let version = words.first(where: { $0.first?.isNumber == true })
      else {
        throw InstallationError(
          .internal, "'\(path) --version' does not say its version: it ended with \(run.status)",
          detail: Sanitised.line(run.output + run.errors, limit: 300))
      }
      facts.toolVersions[tool] = Sanitised.line(version, limit: 60)
    }
    let release = OSRelease(of: packageRoot)
    facts.operatingSystem = release["PRETTY_NAME"]
    facts.supportLink = release["SUPPORT_URL"]
    facts.unfinishedPackages = try await leftovers()?.compactMap(\.package)
    facts.lastRefreshedAt = packageRoot.indexFetchedAt
    return facts
  }
}

extension PackageRoot {
  /// Time of the last index refresh; nil where there is no index.
  var indexFetchedAt: Timestamp? {
    let hasIndex = RootFiles.names(in: listsDirectory).contains { $0.contains("_Packages") }
    return hasIndex ? listsChangedAt : nil
  }

  /// Time of the last change in the index folder.
  ///
  /// A refresh changes the folder even when the source has nothing new.
  var listsChangedAt: Timestamp? {
    let marks = [listsDirectory, listsDirectory + "/partial"]
    return marks.compactMap { RootFiles.status($0)?.modified }.max()
      .map { Timestamp(milliseconds: $0 / 1_000_000) }
  }
}

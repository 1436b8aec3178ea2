import HostSystem
internal import InstallJobs

/// The indexes of packages that the configured sources have, and which of them are there.
enum SourceIndexes {
  /// What a search over the index misses (rows V1, V3).
  ///
  /// - Returns: A warning for each source of which no index was fetched, in the order of the sources.
  /// - Throws: As apt's tools do; `badRoot` where the sources cannot be read.
  static func missing(with tools: AptTools) async throws(InstallationError) -> [UpdateWarning] {
    let fetched = Set(try await list([], with: tools))
    let configured = try await list(["--no-release-info"], with: tools)
    guard !configured.isEmpty else {
      return [
        UpdateWarning(
          .missingIndex,
          "no package source is configured in \(tools.configuration.root.path("etc/apt"))",
          context: .incompleteSearch)
      ]
    }
    var told: Set<String> = []
    return configured.compactMap { source in
      guard !fetched.contains(source), told.insert(source).inserted else { return nil }
      return UpdateWarning(
        .missingIndex, "the index of \(source) is not there: what it has was not looked at",
        context: .incompleteSearch)
    }
  }

  /// Address, suite and component of each index, fit to be shown.
  private static func list(
    _ options: [String], with tools: AptTools
  ) async throws(InstallationError) -> [String] {
    let format = "$(SITE) $(RELEASE) $(COMPONENT)"
    let run = try await tools.run(
      "/usr/bin/apt-get",
      ["-q", "indextargets"] + options + ["--format", format, "Created-By: Packages"],
      to: "list the sources")
    guard run.status == 0 else {
      throw InstallationError(
        .badRoot,
        "the package sources cannot be read: "
          + (run.complaints.first ?? "apt-get ends with \(run.status)"),
        hint: "correct them in \(tools.configuration.root.path("etc/apt"))")
    }
    return run.lines.filter { !$0.isEmpty }.map { line in
      // A source without components leaves the word as it is.
      let words = line.replacing("$(COMPONENT)", with: "").split(separator: " ").map(String.init)
      let address = PlannedArchive(fileName: "", size: 0, hash: nil, uri: words.first ?? "")
      return Sanitised.line(
        ([address.withoutCredentials.uri] + words.dropFirst()).joined(separator: " "), limit: 200)
    }
  }
}

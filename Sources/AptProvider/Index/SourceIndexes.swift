import HostSystem
internal import InstallJobs

/// The package indexes of the configured sources, fetched or missing.
enum SourceIndexes {
  /// Returns warnings about indexes that a search cannot cover (rows V1, V3).
  ///
  /// - Returns: A warning for each source without a fetched index, in the order of the sources.
  /// - Throws: The errors of apt's tools; `badRoot` where the sources cannot be read.
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
    var reported: Set<String> = []
    return configured.compactMap { source in
      guard !fetched.contains(source), reported.insert(source).inserted else { return nil }
      return UpdateWarning(
        .missingIndex, "the index of \(source) is not there: what it has was not looked at",
        context: .incompleteSearch)
    }
  }

  /// Returns address, suite and component of each index, sanitised and without credentials.
  private static func list(
    _ options: [String], with tools: AptTools
  ) async throws(InstallationError) -> [String] {
    let format = "$(SITE) $(RELEASE) $(COMPONENT)"
    let run = try await tools.run(
      "/usr/bin/apt-get",
      ["-q", "indextargets"] + options + ["--format", format, "Created-By: Packages"],
      to: "list the sources")
    guard run.status == 0 else {
      let root = tools.configuration.root
      if root.unreadableIndex(in: run.complaints) != nil { throw tools.unreadableIndex(run) }
      throw InstallationError(
        .badRoot,
        "the package sources cannot be read: "
          + (run.complaints.first ?? "apt-get ends with \(run.status)"),
        hint: "correct them in \(tools.configuration.root.path("etc/apt"))")
    }
    return run.lines.filter { !$0.isEmpty }.map { line in
      // For a source without components apt leaves the placeholder in place.
      let words = line.replacing("$(COMPONENT)", with: "").split(separator: " ").map(String.init)
      let address = PlannedArchive(fileName: "", size: 0, hash: nil, uri: words.first ?? "")
      return Sanitised.line(
        ([address.withoutCredentials.uri] + words.dropFirst()).joined(separator: " "), limit: 200)
    }
  }
}

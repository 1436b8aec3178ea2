import HostSystem
internal import InstallJobs

/// apt's tools under the configuration of one root, for looking only.
///
/// Owns a scratch folder with the configuration file; ``close()`` removes it.
struct AptTools: Sendable {
  let configuration: AptConfiguration
  private let folder: String
  private let environment: [String: String]

  /// Tools for a root.
  ///
  /// apt reads the whole index for each call unless it finds what it made of it the last time; where
  /// the machine keeps that nowhere (settings of container images), four calls of one plan took 3.7 s
  /// instead of 1.1 s.
  ///
  /// - Parameters:
  ///   - configuration: Root and options.
  ///   - cache: The folder where apt keeps its digest of the index; nil for the root's own, or the
  ///     scratch folder where the root has none.
  /// - Throws: `internal` when there is no room for the configuration file.
  init(_ configuration: AptConfiguration, cache: String? = nil) throws(InstallationError) {
    guard let folder = RootFiles.makeScratchFolder() else {
      throw InstallationError(
        .internal, "cannot make a temporary folder", hint: "check free space and $TMPDIR")
    }
    let own = configuration.root.path("var/cache/apt/pkgcache.bin")
    var configuration = configuration
    configuration.cache = cache ?? (RootFiles.isReadable(own) ? nil : folder)
    if let cache { configuration.root.removeOldDigests(in: cache) }
    self.configuration = configuration
    self.folder = folder
    environment = configuration.environment(configurationFile: folder + "/apt.conf")
    guard RootFiles.write(configuration.text(for: .query), to: folder + "/apt.conf") else {
      RootFiles.removeFlatFolder(folder)
      throw InstallationError(
        .internal, "cannot write apt's configuration to \(folder)", hint: "check free space")
    }
  }

  func close() { RootFiles.removeFlatFolder(folder) }

  /// Runs one of apt's tools; see ``Tool/run(_:environment:to:limits:)``.
  func run(
    _ program: String, _ arguments: [String], to purpose: String = "read the package index",
    limits: Tool.Limits = .looking
  ) async throws(InstallationError) -> Tool.Run {
    try await Tool(program).run(arguments, environment: environment, to: purpose, limits: limits)
  }

  /// What `apt-cache` answers; that it knows none of the names is an answer.
  ///
  /// - Throws: Also `unresolvable` with its words where it fails otherwise: what it says then says
  ///   nothing of packages.
  func readIndex(_ arguments: [String]) async throws(InstallationError) -> Tool.Run {
    let run = try await run("/usr/bin/apt-cache", arguments)
    guard run.status != 0, run.complaints != ["No packages found"] else { return run }
    let reason =
      run.complaints.isEmpty
      ? "apt-cache ends with \(run.status)" : run.complaints.joined(separator: "; ")
    throw InstallationError(
      .unresolvable, "apt cannot read the package index of \(configuration.root.path): \(reason)",
      hint: configuration.root.refreshAdvice)
  }

  /// What `apt-get` would do, for the arguments of an ``AptCommand``.
  func simulate(_ command: AptCommand) async throws(InstallationError) -> Tool.Run {
    try await run("/usr/bin/apt-get", ["-q", "--simulate"] + command.arguments, to: "plan")
  }

  /// What `apt-get` says it would fetch, to be read by ``archives(printed:)``.
  ///
  /// The archive folder is named anew, because apt leaves out what it already has there (measured).
  func printURIs(_ command: AptCommand) async throws(InstallationError) -> Tool.Run {
    let options = ["-qq", "-y", "--print-uris", "-o", "Dir::Cache::archives=\(folder)/none/"]
    return try await run("/usr/bin/apt-get", options + command.arguments, to: "find the archives")
  }

  /// The archives that `apt-get` would fetch, by file name.
  func archives(printed run: Tool.Run) throws(InstallationError) -> [String: PlannedArchive] {
    guard run.status == 0 else {
      throw InstallationError(
        .unresolvable, "apt cannot name the archives: \(run.complaints.joined(separator: "; "))",
        hint: configuration.root.refreshAdvice)
    }
    var found: [String: PlannedArchive] = [:]
    for line in run.lines {
      guard let archive = PlannedArchive(printedURI: line) else { continue }
      found[archive.fileName] = archive
    }
    return found
  }
}

extension PlannedArchive {
  /// Reads a line of `apt-get --print-uris`: `'URI' FILE SIZE [HASH]`.
  init?(printedURI line: Substring) {
    guard line.first == "'", let quote = line.dropFirst().firstIndex(of: "'") else { return nil }
    let uri = line[line.index(after: line.startIndex)..<quote]
    let words = line[line.index(after: quote)...].split(separator: " ")
    guard words.count >= 2, !words[0].contains("/"),
      words[1].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    self.init(
      fileName: String(words[0]), size: SizeField.bytes(words[1]),
      hash: words.count > 2 ? String(words[2]) : nil, uri: String(uri))
  }
}

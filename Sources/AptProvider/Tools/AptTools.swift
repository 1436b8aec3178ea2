import HostSystem
internal import InstallJobs
internal import Synchronization

/// apt's tools with the configuration of one root, for reading only.
///
/// Owns a temporary folder with the configuration file; ``close()`` removes it.
struct AptTools: Sendable {
  let configuration: AptConfiguration
  private let folder: String
  private let environment: [String: String]

  /// Creates the tools for a root.
  ///
  /// Without its package cache apt parses the whole index in each call. Container images configure
  /// apt without a cache; four calls of one plan then took 3.7 s instead of 1.1 s.
  ///
  /// - Parameters:
  ///   - configuration: Root and options.
  ///   - cache: The folder for apt's package cache; nil for the root's own, or for the temporary
  ///     folder where the root has none.
  ///   - changesMarks: Whether the tools may change which packages are marked as automatically
  ///     installed. If not, they work on a copy: `apt-get --print-uris` marks the packages that it
  ///     is asked for as manually installed (measured).
  /// - Throws: `internal` when the configuration file cannot be written; `badRoot` when the marks
  ///   cannot be read.
  init(
    _ configuration: AptConfiguration, cache: String? = nil, changesMarks: Bool = false
  ) throws(InstallationError) {
    guard let folder = RootFiles.makeScratchFolder() else {
      throw InstallationError(
        .internal, "cannot make a temporary folder", hint: "check free space and $TMPDIR")
    }
    let own = configuration.root.path("var/cache/apt/pkgcache.bin")
    var configuration = configuration
    configuration.cache = cache ?? (RootFiles.isReadable(own) ? nil : folder)
    if let cache { configuration.root.removeOldDigests(in: cache) }
    var isWritten = true
    if !changesMarks {
      let copy = folder + "/extended_states"
      configuration.automaticMarks = copy
      do throws(InstallationError) {
        if let marks = try configuration.root.readAutomaticMarks() {
          isWritten = RootFiles.write(marks, to: copy)
        }
      } catch {
        RootFiles.removeFlatFolder(folder)
        throw error
      }
    }
    self.configuration = configuration
    self.folder = folder
    environment = configuration.environment(configurationFile: folder + "/apt.conf")
    guard isWritten, RootFiles.write(configuration.text(for: .query), to: folder + "/apt.conf")
    else {
      RootFiles.removeFlatFolder(folder)
      throw InstallationError(
        .internal, "cannot write apt's configuration to \(folder)", hint: "check free space")
    }
  }

  func close() { RootFiles.removeFlatFolder(folder) }

  /// Runs a tool of apt; see ``Tool/run(_:environment:to:limits:)``.
  func run(
    _ program: String, _ arguments: [String], to purpose: String = "read the package index",
    limits: Tool.Limits = .looking
  ) async throws(InstallationError) -> Tool.Run {
    try await Tool(program).run(arguments, environment: environment, to: purpose, limits: limits)
  }

  /// Runs `apt-cache`; an output that no name was found is a result, not an error.
  ///
  /// - Throws: The errors of ``run(_:_:to:limits:)``; `unresolvable` with apt's messages where
  ///   apt-cache fails for another reason.
  func readIndex(_ arguments: [String]) async throws(InstallationError) -> Tool.Run {
    let run = try await run("/usr/bin/apt-cache", arguments)
    guard run.status != 0, run.complaints != ["No packages found"] else { return run }
    throw unreadableIndex(run)
  }

  /// The error for a run of a tool that could not read the package index.
  func unreadableIndex(_ run: Tool.Run) -> InstallationError {
    let reason =
      run.complaints.isEmpty
      ? "it ends with \(run.status)" : run.complaints.joined(separator: "; ")
    return InstallationError(
      .unresolvable, "apt cannot read the package index of \(configuration.root.path): \(reason)",
      hint: configuration.root.refreshAdvice)
  }

  /// A simulated run of `apt-get`.
  struct Simulation: Sendable {
    /// The run, whose output has the order of work.
    var run: Tool.Run
    /// apt's report about the run, as the hook program wrote it: one message per line.
    var report: String
  }

  /// Simulates a command with `apt-get`, with the program that writes apt's report down as its only
  /// hook.
  ///
  /// - Parameter arguments: The arguments behind `apt-get --simulate`.
  /// - Returns: The run, of any exit status.
  /// - Throws: The errors of ``run(_:_:to:limits:)``; `internal` when the hook program cannot be
  ///   written.
  func simulate(_ arguments: [String]) async throws(InstallationError) -> Simulation {
    let number = Self.simulations.wrappingAdd(1, ordering: .relaxed).newValue
    let (program, report) = ("\(folder)/plan-hook.pl", "\(folder)/report-\(number)")
    guard RootFiles.write(Self.hookProgram, to: program) else {
      throw InstallationError(
        .internal, "cannot write apt's hook to \(folder)", hint: "check free space")
    }
    let hook = "/usr/bin/perl \(Self.quoted(program)) \(Self.quoted(report))"
    let hooks = ["Install", "Upgrade"].flatMap { ["-o", "AptCli::Hooks::\($0)::=\(hook)"] }
    let run = try await run(
      "/usr/bin/apt-get", ["-q", "--simulate"] + hooks + arguments, to: "plan")
    return Simulation(run: run, report: RootFiles.text(of: report) ?? "")
  }

  /// Returns a word of a shell, to which apt passes hooks: the temporary folder may have any name.
  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// Number of simulations of this process; gives each report a name of its own.
  private static let simulations = Atomic(0)
  private static var hookProgram: String {
    String(decoding: PackageResources.plan_hook_pl, as: UTF8.self)
  }

  /// Prints the archives that `apt-get` would fetch, to be parsed by ``archives(printed:)``.
  ///
  /// Sets an empty archive folder, because apt leaves out archives that it already has there
  /// (measured).
  func printURIs(_ command: AptCommand) async throws(InstallationError) -> Tool.Run {
    let options = ["-qq", "-y", "--print-uris", "-o", "Dir::Cache::archives=\(folder)/none/"]
    return try await run("/usr/bin/apt-get", options + command.arguments, to: "find the archives")
  }

  /// Returns the archives that `apt-get` would fetch, by file name.
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
  /// Parses a line of `apt-get --print-uris`: `'URI' FILE SIZE [HASH]`.
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

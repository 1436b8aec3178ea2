import AptProvider
import ArgumentParser
import FoundationEssentials
import Glibc
import HostSystem
import InstallJobs
import JobEngine
import JobJournal
import JobServer
import Logging
import PackageProvider
import Settings
import SimulatedProvider

/// The command `fettled engine`, which runs in place of `fettle engine`.
struct EngineCommand: AsyncParsableCommand, PrivilegeDropping {
  static let configuration = CommandConfiguration(
    commandName: "engine", abstract: "Run the engine in the foreground.")

  @Option(help: ArgumentHelp("The package root it works on.", valueName: "folder"))
  var root: String?
  @Option(help: ArgumentHelp("Where journal and job folders are kept.", valueName: "folder"))
  var state: String?
  @Option(help: ArgumentHelp("Where it listens.", valueName: "path")) var socket: String?
  @Option(help: ArgumentHelp("apt, or simulated:SCENARIO.", valueName: "provider"))
  var provider = "apt"
  @Flag(help: ArgumentHelp("Say more in the log.")) var verbose = false

  // For `fettle try`: create the root, and give up root's rights.
  @Flag(help: .hidden) var throwaway = false
  // At the end of standard input, abort all jobs and exit; report progress on standard output.
  @Flag(help: .hidden) var untilInputEnds = false
  // Remove this folder at the end, also when the client has exited.
  @Option(help: .hidden) var removeAtEnd: String?
  // Submit the jobs of the scenario.
  @Flag(help: .hidden) var play = false

  func validate() throws {
    for (name, path) in [("root", root), ("state", state), ("socket", socket)] where path == "" {
      throw ValidationError("--\(name) names no path")
    }
  }

  mutating func run() async throws {
    let manager = ServiceManager.fromEnvironment()
    // Relative paths are resolved first: the working folder may change later.
    (root, state, socket) = (
      root.map(AbsolutePath.of), state.map(AbsolutePath.of), socket.map(AbsolutePath.of)
    )
    var mayRemove = true
    // Nothing is removed while a worker runs: the next engine on the folder removes it.
    defer {
      if mayRemove, throwaway, UnusedUserID.contains(geteuid()) {
        let kept = [root, removeAtEnd, state, socket].compactMap(\.self)
        for line in TryRemains.clear(except: kept) {
          Output.line("left " + line, to: STDOUT_FILENO)
        }
      }
      if mayRemove, let removeAtEnd { Discard.empty(removeAtEnd) }
    }
    // Temporary files go into the folder of the try: they are removed with it, and the engine's
    // user can write it.
    if let removeAtEnd { unsafe setenv("TMPDIR", removeAtEnd, 1) }
    signal(SIGPIPE, SIG_IGN)
    let log = LogQueue(descriptor: STDERR_FILENO)
    // Remaining lines reach a reader that reads them within 500 ms.
    defer { log.flush(milliseconds: 500) }
    var logger = Logger(label: "fettled") { QueuedLogHandler(label: $0, queue: log) }
    logger.logLevel = verbose ? .debug : .notice
    let places = EnginePlaces()
    let read = try places.readSettings()
    let folder = places.state(option: state, read)
    let (chosen, jobs) = try await makeProvider(read, stateFolder: folder)
    // Runs before the folder is removed: deferred blocks run in reverse order.
    defer { (chosen as? SimulatedProvider)?.save() }
    var settings = EngineSettings(stateFolder: folder, version: ProductVersion.text)
    settings.owner = Requester(uid: geteuid(), user: await Self.ownName())
    if let seconds = read.engine.stallAfterSeconds { settings.stallThreshold = .seconds(seconds) }
    settings.requiresRebootFirst = read.engine.requiresRebootFirst ?? false
    var retention = JournalRetention()
    retention.days = read.engine.keepDays ?? retention.days
    retention.jobs = read.engine.keepJobs ?? retention.jobs
    retention.megabytes = read.engine.keepMegabytes ?? retention.megabytes
    settings.retention = retention
    // Only root's engine writes to the system log; an unprivileged user's engine does not concern
    // it.
    if geteuid() == 0 {
      settings.auditTrail = SystemLog().publish
      settings.jobTrail = SystemLog().report
    }
    var host = EngineHost(
      provider: chosen, stateFolder: folder,
      socket: try places.socket(option: socket, read),
      settings: settings, everybodyMayLook: read.engine.everybodyMayLook ?? false,
      scenarioJobs: play ? jobs : [], logger: logger)
    host.abortsAtEnd = untilInputEnds
    host.serviceManager = manager
    mayRemove = false
    mayRemove = try await host.run(lifeline: untilInputEnds ? STDIN_FILENO : nil) {
      [untilInputEnds] in
      if untilInputEnds { Output.line("played", to: STDOUT_FILENO) }
    } ready: {
      Output.line("ready", to: STDOUT_FILENO)
    }
  }

  private func makeProvider(
    _ settings: Settings, stateFolder folder: String
  ) async throws -> (any PackageProvider, [EngineHost.ScheduledRequest]) {
    if let name = provider.dropPrefix("simulated:") {
      let isBuiltIn = Scenario.builtInNames.contains(name)
      if !isBuiltIn { try Trust.require(AbsolutePath.of(name), as: "the scenario") }
      let scenario =
        isBuiltIn
        ? try Scenario.named(name) : try Scenario.load(path: name)
      // The simulated machine's state is kept beside the journal that describes it, as on a real
      // root.
      let provider = try SimulatedProvider(
        scenario, stateFolder: folder, bootID: EngineSettings.presentBootID)
      return (
        provider, scenario.jobs.map { EngineHost.ScheduledRequest($0.request, at: $0.at) }
      )
    }
    guard provider == "apt" else {
      throw InstallationError(
        .invalidArgument, "there is no provider '\(provider)'", class: .fatal,
        hint: "use apt or simulated:SCENARIO")
    }
    let path = root ?? settings.engine.root ?? "/"
    var isNew = false
    if throwaway, unsafe access(path + "/" + PackageRoot.markerName, F_OK) != 0 {
      _ = try await PackageRoot.create(at: path, likeHost: true)
      isNew = true
    }
    let root = try PackageRoot(at: path)
    try root.checkRights()
    let provider = AptProvider(
      root: root, workerExecutable: "/proc/self/exe", archiveStore: folder + "/archives",
      cache: folder + "/cache")
    if isNew {
      Output.line("index", to: STDOUT_FILENO)
      try await provider.refreshIndex()
      try checkIndex(of: root)
    }
    return (provider, [])
  }

  /// Becomes an unused user who owns the folder of the try and its package root; does nothing
  /// without `--throwaway` or without root's rights.
  func dropPrivileges() throws(InstallationError) {
    // Root empties no folder that another user can change meanwhile.
    if let folder = removeAtEnd.map(AbsolutePath.of) {
      try Trust.require(folderOfTry: folder)
      if !throwaway { try Trust.require(folder, as: "the folder of a try") }
    }
    guard throwaway, geteuid() == 0 else { return }
    let home = socket.map(Self.parent) ?? state ?? "/nonexistent"
    let isInside = root.map { $0.hasPrefix(home + "/") } ?? true
    do {
      try UnusedUser.switchUser(owning: home, and: isInside ? nil : root)
    } catch {
      if let removeAtEnd, UnusedUser.isRoots(removeAtEnd) { Discard.empty(removeAtEnd) }
      throw error
    }
  }

  /// Throws when no package index was fetched: apt treats unreachable sources as a warning.
  private func checkIndex(of root: PackageRoot) throws(InstallationError) {
    let names = RootFiles.names(in: root.listsDirectory)
    guard !names.contains(where: { $0.contains("_Packages") }) else { return }
    throw InstallationError(
      .sourceUnavailable, "none of the package sources can be reached", class: .transient,
      hint: "check the network and the proxy")
  }

  /// Returns the name of the engine's user; the number if the system does not answer in time.
  private static func ownName() async -> String {
    guard geteuid() != 0 else { return "root" }
    let directory = AccountDirectory { uid in
      AccountDirectory.Account(name: Accounts.name(of: uid), isMember: false)
    }
    return await directory.account(of: geteuid()).name
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }
}

extension String {
  /// Returns the text after `prefix`; nil when the text does not begin with it.
  fileprivate func dropPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}

import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider

/// Fills a job folder with what its worker needs.
package struct JobPreparation: Sendable {
  let work: JobWork
  let root: PackageRoot
  let cache: String?
  let foreseen: ForeseenSequence?

  /// The preparation of a job's work on a root.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - root: The root to work on.
  ///   - cache: Where apt keeps its digest of the index; nil where the root's settings say.
  ///   - foreseen: The order that apt printed for the plan; nil where it is not known any more.
  package init(
    of work: JobWork, on root: PackageRoot, cache: String? = nil,
    foreseen: ForeseenSequence? = nil
  ) {
    // apt printed it for the whole plan, and a shell must be able to read the path of its gate. A
    // repair has dpkg take in first what apt could not see then.
    let isOfUse =
      work.finishedSteps.isEmpty && !work.folder.path.contains("'")
      && work.request.operation != .repair && !work.request.options.isDownloadOnly
    self.foreseen = isOfUse ? foreseen : nil
    self.work = work
    self.root = root
    self.cache = cache
  }

  /// Makes the folder and its files; what they hold is for its owner only.
  ///
  /// The folder itself can be passed through by everybody, and its archives by the user as which apt
  /// that is root fetches: apt would fetch as root where that one cannot reach its folder. Nobody else
  /// reads the archives, because a user may have handed them in for this job alone.
  ///
  /// The files that tools append to are made here, so that nobody else can put something in their
  /// place, and so that a reader finds them.
  ///
  /// A folder in which earlier work of the job has ended is made ready for the rest of it: what it
  /// recorded stays and goes on growing.
  ///
  /// - Throws: `invalidState` while earlier work still goes on in this folder; `internal` when a
  ///   file cannot be written.
  package func write() throws(InstallationError) {
    let folder = work.folder
    try makeArchivesFolder()
    try clearEarlierWork()
    for entry in [
      JobFolder.Entry.log, .status, .dpkgStatus, .stages, .calls, .gate, .lock, .stopRoom,
    ] {
      guard let file = folder.open(entry, O_WRONLY | O_CREAT | O_APPEND) else {
        throw unwritable(folder.path(entry))
      }
      // dpkg dies half-way when it cannot write its status, so room is set aside beforehand.
      let room = Self.room[entry].map { $0 * (work.plan.steps.count + 64) } ?? 0
      guard room == 0 || file_reserve(file.number, room) == 0 else {
        throw unwritable(folder.path(entry))
      }
    }
    if let foreseen {
      try writeText(foreseen.printed, to: .sequence)
      try writeText(Self.intentionGateScript, to: .intentionGate)
    }
    try writeText(Self.gateScript, to: .gateScript)
    try makeFolder(folder.path(.front), mode: 0o700)
    try writeText(Self.archiveGateScript, to: .archiveGate)
    guard unsafe chmod(folder.path(.archiveGate), 0o700) == 0,
      unsafe access(folder.path(.archiveGate), X_OK) == 0
    else {
      throw InstallationError(
        .internal, "programs cannot be run in \(Sanitised.line(folder.path, limit: 200))",
        class: .needsHuman,
        hint: "dpkg is watched by one: mount the state folder's file system without 'noexec'")
    }
    try writeText(configuration.text(for: install), to: .configuration)
    try writeText(configuration.text(for: download), to: .downloadConfiguration)
    guard folder.write(order(), to: .work) else { throw unwritable(folder.path(.work)) }
    guard folder.write(RecordedJob(request: work.request, plan: work.plan), to: .plan) else {
      throw unwritable(folder.path(.plan))
    }
  }

  /// Fills the folder of a job that waits with what is needed to fetch its archives.
  ///
  /// - Throws: As ``write()``.
  func writeForFetching() throws(InstallationError) {
    try makeArchivesFolder()
    let partial = work.folder.path(.archives) + "/partial"
    // apt-get hands the folder over by itself, apt-helper does not.
    if root.kind != .privateRoot, geteuid() == 0, let fetcher = SandboxUser.find() {
      guard unsafe lchown(partial, fetcher.user, fetcher.group) == 0 else {
        throw unwritable(partial)
      }
    }
    try writeText(configuration.text(for: download), to: .downloadConfiguration)
  }

  /// The environment for ``writeForFetching()``.
  var fetchingEnvironment: [String: String] { environment(.downloadConfiguration) }

  private func makeArchivesFolder() throws(InstallationError) {
    let archives = work.folder.path(.archives)
    try makeFolder(work.folder.path, mode: 0o711)
    try makeFolder(archives, mode: 0o700)
    let opensToSandbox = root.kind != .privateRoot && geteuid() == 0
    if opensToSandbox, let file = Descriptor(Self.openFolder(archives)),
      !SandboxAccess.pass.grant(on: file.number), !hasLocalArchives
    {
      // Without access control lists: what everybody can fetch may be read by everybody.
      fchmod(file.number, 0o755)
    }
    // apt that is root hands it over to the user that fetches.
    if !isFetchersFolder(archives + "/partial", in: archives) {
      try makeFolder(archives + "/partial", mode: 0o700)
    }
  }

  private var hasLocalArchives: Bool {
    work.request.updates.contains { $0.archive != nil }
  }

  private static func openFolder(_ path: String) -> Int32 {
    unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// What the worker is to do.
  package func order() -> WorkOrder {
    let (fetching, installing) = (environment(.downloadConfiguration), environment(.configuration))
    var commands: [WorkOrder.Command] = []
    func add(_ role: WorkOrder.Command.Role, _ arguments: [String], _ values: [String: String]) {
      commands.append(.init(role: role, arguments: arguments, environment: values))
    }
    let apt = "/usr/bin/apt-get"
    // The worker holds the lock that apt would take, and tells dpkg so.
    let unlocked = ["-o", "Debug::NoLocking=true"]
    let isDownload = work.request.options.isDownloadOnly
    // The plan of a download has no removals, what apt plans may.
    let removes = isDownload || work.plan.steps.contains { $0.action.removes }
    let isRepair = work.request.operation == .repair
    let configureAll = dpkg.arguments + [WorkOrder.configureOption, "-a"]
    // What must be unpacked first may be what the rest stands on: to configure that first would fail.
    let unpacksFirst = isRepair && work.plan.steps.contains { $0.action.unpacks }
    // dpkg takes in what an interrupted one has noted, without which apt does nothing (measured).
    let takeIn = dpkg.arguments + ["--set-selections"]
    if !isRepair, !isDownload, !root.journaledNames.isEmpty {
      add(.settle, takeIn, dpkg.environment)
    }
    if unpacksFirst {
      add(.install, takeIn, dpkg.environment)
    } else if isRepair {
      // dpkg itself, not through the gate: what is cut off is finished before anything else.
      add(.install, configureAll, dpkg.environment)
    }
    if let command = AptCommand(
      for: work.request, plan: work.plan, archiveStore: work.archiveStore,
      finishedSteps: work.finishedSteps)
    {
      let arguments = (removes ? [] : ["--no-remove"]) + command.arguments
      if !pendingArchives.isEmpty {
        let fetch = WorkOrder.underLock(work.folder.path(.fetching)) + [apt]
        add(.download, fetch + ["-q", "-y", "--download-only"] + arguments, fetching)
      }
      if !isRepair, !isDownload {
        add(
          .check,
          [apt, "-q", "-s", "-o", "APT::Status-Fd=-1", "-o", "Dir::Log::Planner=/dev/null"]
            + unlocked + arguments, installing)
      }
      if !isDownload {
        add(
          .install, [apt] + unlocked + (removes ? [] : ["--no-remove"]) + command.installing,
          installing)
      }
    }
    // Triggers that wait, which apt leaves alone.
    if unpacksFirst { add(.install, configureAll, dpkg.environment) }
    let expected = work.plan.steps.enumerated().compactMap { index, step in
      work.finishedSteps.contains(index) ? nil : WorkSequence.expectation(of: step)
    }
    return WorkOrder(
      commands: commands, dpkg: dpkg, adminDirectory: root.adminDirectory,
      frontendLock: root.frontendLock, lockTimeout: work.request.options.lockSeconds,
      expected: Set(expected), decidingFiles: root.decidingFiles, archives: orderedArchives,
      stopWithin: work.request.options.stopSeconds,
      foreseen: foreseen.map { WorkOrder.Foreseen(state: $0.state) },
      automaticMark: isDownload ? nil : automaticMark, isDownloadOnly: isDownload)
  }

  /// apt marks what it is asked for by name as wanted by somebody: new packages that nobody asked for,
  /// those that are only to be configured, and those that an upgrade found marked otherwise.
  private var automaticMark: WorkOrder.Command? {
    let isUpgrade = work.request.operation == .upgrade && !work.request.updates.isEmpty
    let marked = root.automaticPackages
    let names = work.plan.requests.compactMap { row -> String? in
      guard row.update.isAutomatic || isUpgrade, let step = row.step.map({ work.plan.steps[$0] })
      else { return nil }
      let name = AptCommand.qualified(step.name, step.architecture)
      let isNew = row.update.isAutomatic && step.action == .install
      return isNew || marked.contains(name) ? name : nil
    }
    guard !names.isEmpty else { return nil }
    return WorkOrder.Command(
      role: .install, arguments: ["/usr/bin/apt-mark", "auto", "--"] + names,
      environment: environment(.configuration))
  }

  /// The archives that will be unpacked, for the division into groups.
  private var orderedArchives: [WorkOrder.Archive] {
    let local = Dictionary(
      work.plan.requests.compactMap { row in
        row.step.flatMap { step in row.update.archive.map { (step, $0.sha256) } }
      }, uniquingKeysWith: { first, _ in first })
    return work.plan.steps.enumerated().compactMap { index, step in
      guard step.action.unpacks, !work.finishedSteps.contains(index) else { return nil }
      let stored = local[index].map { "\(work.archiveStore)/\($0).deb" }
      let fetched = work.plan.archives[index].map { archive in
        "\(work.folder.path(.archives))/\(archive.fileName)"
      }
      return (stored ?? fetched).map { path in
        WorkOrder.Archive(
          package: step.name, architecture: step.architecture, path: path,
          nameInArchives: stored.map { _ in step.archiveName },
          size: stored == nil ? work.plan.archives[index]?.size : nil,
          configuringSeconds: work.configuringSeconds[index])
      }
    }
  }

  private var configuration: AptConfiguration {
    AptConfiguration(
      root: root, conffiles: work.request.options.conffiles, proxy: work.request.options.proxy,
      cache: cache)
  }

  private var install: AptConfiguration.Use {
    .install(
      archives: work.folder.path(.archives) + "/", gate: work.folder.path(.gateScript),
      intentionGate: foreseen.map { _ in work.folder.path(.intentionGate) })
  }

  private var download: AptConfiguration.Use {
    .download(archives: work.folder.path(.archives) + "/")
  }

  private var dpkg: WorkOrder.Command {
    WorkOrder.Command(
      role: .install,
      arguments: ["/usr/bin/dpkg"] + root.dpkgOptions + configuration.conffileOptions
        + ["--status-fd=4"],
      environment: configuration.environment)
  }

  private var pendingArchives: [Int: PlannedArchive] {
    work.plan.archives.filter { !work.finishedSteps.contains($0.key) }
  }

  private func environment(_ entry: JobFolder.Entry) -> [String: String] {
    configuration.environment(configurationFile: work.folder.path(entry))
  }

  /// The text of the script that stands between apt and dpkg.
  package static var gateScript: String {
    String(decoding: PackageResources.dpkg_gate_sh, as: UTF8.self)
  }

  /// The text of the script that looks at apt's intention.
  package static var intentionGateScript: String {
    String(decoding: PackageResources.intention_gate_sh, as: UTF8.self)
  }

  /// The text of the script that stands in front of `dpkg-split`.
  package static var archiveGateScript: String {
    String(decoding: PackageResources.archive_gate_sh, as: UTF8.self)
  }

  // Bytes for each step, several times what was measured.
  private static let room: [JobFolder.Entry: Int] = [
    .dpkgStatus: 1024, .status: 2048, .stages: 64, .calls: 512,
    // dpkg and apt count it as their failure when they cannot say what they have done.
    .log: 1024,
    // Given up for `exit`, should there be no other room left for it.
    .lock: 256,
    // A line for each name in each of its spellings.
    .stopRoom: 256,
  ]

  private func clearEarlierWork() throws(InstallationError) {
    let folder = work.folder
    guard folder.has(.started) || folder.has(.exit) else { return }
    let worker = folder.value(ProcessIdentity.self, of: .started)
    // What is left in the session otherwise is a package's own: a service that it started.
    guard folder.has(.exit) || !folder.isLockedByWorker,
      folder.has(.exit) || !(worker.map { SessionWork(after: $0).isAtWork } ?? false)
    else {
      throw InstallationError(
        .invalidState, "earlier work of this job still goes on", class: .transient,
        hint: "wait for it to end")
    }
    // Whoever looks at what is left of it finds that the earlier work is over, and without the last
    // but one that the next has not begun.
    for entry in [
      JobFolder.Entry.stop, .stopRoom, .stopped, .calls, .sequence, .foreseen, .agreed, .differs,
      .groups, .started, .exit,
    ] {
      folder.remove(entry)
    }
  }

  // An own folder that is there already gets the mode too; what is somebody else's is refused.
  private func makeFolder(_ path: String, mode: mode_t) throws(InstallationError) {
    let refused = unsafe mkdir(path, 0o700) == 0 ? 0 : errno
    var record = stat()
    guard let folder = Descriptor(Self.openFolder(path)),
      unsafe fstat(folder.number, &record) == 0
    else {
      // That it is not there says nothing of why it could not be made.
      if errno == ENOENT, refused != 0 { errno = refused }
      throw unwritable(path)
    }
    guard record.st_uid == geteuid(), record.st_mode & 0o022 == 0 else {
      errno = EPERM
      throw unwritable(path)
    }
    guard fchmod(folder.number, mode) == 0 else { throw unwritable(path) }
  }

  // Whether it is the folder that apt made its fetching user's, in one that only we can write.
  private func isFetchersFolder(_ path: String, in parent: String) -> Bool {
    var (folder, above) = (stat(), stat())
    guard geteuid() == 0, let account = SandboxUser.find(),
      unsafe lstat(path, &folder) == 0, unsafe lstat(parent, &above) == 0
    else { return false }
    return folder.st_mode & S_IFMT == S_IFDIR && folder.st_mode & 0o022 == 0
      && folder.st_uid == account.user
      && above.st_mode & S_IFMT == S_IFDIR && above.st_mode & 0o022 == 0
      && above.st_uid == geteuid()
  }

  private func writeText(_ text: String, to entry: JobFolder.Entry) throws(InstallationError) {
    guard work.folder.writeWhole(Array(text.utf8), to: entry) else {
      throw unwritable(work.folder.path(entry))
    }
  }

  private func unwritable(_ path: String) -> InstallationError {
    InstallationError(
      errno == ENOSPC || errno == EDQUOT ? .noSpace : .internal,
      "cannot write \(Sanitised.line(path, limit: 200)): \(Self.reason)",
      hint: "check space and rights of the state folder")
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }
}

import CProcess
import Glibc
import HostSystem
package import InstallJobs
package import PackageProvider

/// Fills a job folder with the files that its worker needs.
package struct JobPreparation: Sendable {
  let work: JobWork
  let root: PackageRoot
  let cache: String?
  let foreseen: ForeseenSequence?

  /// Creates the preparation of a job's work on a root.
  ///
  /// - Parameters:
  ///   - work: The job's work.
  ///   - root: The package root.
  ///   - cache: The folder for apt's package cache; nil for the root's own setting.
  ///   - foreseen: The order that apt printed for the plan; nil where it is not known any more.
  package init(
    of work: JobWork, on root: PackageRoot, cache: String? = nil,
    foreseen: ForeseenSequence? = nil
  ) {
    // The printed order is valid only for the whole plan. The path of the gate is quoted for a
    // shell, so it must not contain `'`. In a repair dpkg first merges noted changes that apt's
    // simulation did not see.
    let isOfUse =
      work.finishedSteps.isEmpty && !work.folder.path.contains("'")
      && work.request.operation != .repair && !work.request.options.isDownloadOnly
    self.foreseen = isOfUse ? foreseen : nil
    self.work = work
    self.root = root
    self.cache = cache
  }

  /// Makes the folder and its files; only the owner can read their contents.
  ///
  /// All users can enter the folder, because apt running as root fetches as its sandbox user. Only
  /// that user may enter the archive folder too; without that access apt would fetch as root. Other
  /// users cannot read the archives, because a user may have submitted a local archive for this job
  /// alone.
  ///
  /// Creates the files that tools append to, so that no other process can create them first and a
  /// reader finds them.
  ///
  /// Also prepares a folder for the rest of a job whose earlier work has ended: the recorded files
  /// stay and later work appends to them.
  ///
  /// - Throws: `invalidState` while earlier work still runs in this folder; `internal` when a file
  ///   cannot be written.
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
      // dpkg dies half-way when it cannot write its status, so disk space is reserved beforehand.
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
    guard folder.write(try order(), to: .work) else { throw unwritable(folder.path(.work)) }
    guard folder.write(RecordedJob(request: work.request, plan: work.plan), to: .plan) else {
      throw unwritable(folder.path(.plan))
    }
  }

  /// Fills the folder of a waiting job with the files needed to fetch its archives.
  ///
  /// - Throws: As ``write()``.
  func writeForFetching() throws(InstallationError) {
    try makeArchivesFolder()
    let partial = work.folder.path(.archives) + "/partial"
    // apt-get gives the folder to the sandbox user by itself, apt-helper does not.
    if root.kind != .privateRoot, geteuid() == 0, let fetcher = SandboxUser.find() {
      guard unsafe lchown(partial, fetcher.user, fetcher.group) == 0 else {
        throw unwritable(partial)
      }
    }
    try writeText(configuration.text(for: download), to: .downloadConfiguration)
  }

  /// The environment for downloads after ``writeForFetching()``.
  var fetchingEnvironment: [String: String] { environment(.downloadConfiguration) }

  private func makeArchivesFolder() throws(InstallationError) {
    let archives = work.folder.path(.archives)
    try makeFolder(work.folder.path, mode: 0o711)
    try makeFolder(archives, mode: 0o700)
    let opensToSandbox = root.kind != .privateRoot && geteuid() == 0
    if opensToSandbox, let file = Descriptor(Self.openFolder(archives)),
      !SandboxAccess.pass.grant(on: file.number), !hasLocalArchives
    {
      // Without access control lists the folder is readable for all users, unless it holds local
      // archives; everyone can fetch the other archives.
      fchmod(file.number, 0o755)
    }
    // apt running as root gives this folder to the sandbox user.
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

  /// Returns the order of the job's worker.
  ///
  /// - Throws: `badRoot` where apt's list of automatic packages cannot be read.
  package func order() throws(InstallationError) -> WorkOrder {
    let (fetching, installing) = (environment(.downloadConfiguration), environment(.configuration))
    var commands: [WorkOrder.Command] = []
    func add(_ role: WorkOrder.Command.Role, _ arguments: [String], _ values: [String: String]) {
      commands.append(.init(role: role, arguments: arguments, environment: values))
    }
    let apt = "/usr/bin/apt-get"
    // The worker holds the lock that apt would acquire, and tells dpkg so.
    let unlocked = ["-o", "Debug::NoLocking=true"]
    let isDownload = work.request.options.isDownloadOnly
    // The plan of a download-only job has no removals, but apt's own plan may have some.
    let removes = isDownload || work.plan.steps.contains { $0.action.removes }
    let isRepair = work.request.operation == .repair
    let configureAll = dpkg.arguments + [WorkOrder.configureOption, "-a"]
    // The rest may depend on the packages that must be unpacked, and what is to be removed cannot be
    // configured, so configuring everything first would fail.
    let configuresLast =
      isRepair && work.plan.steps.contains { $0.action.unpacks || $0.action.removes }
    // dpkg merges the changes noted by an interrupted dpkg; without that apt refuses to work
    // (measured).
    let takeIn = dpkg.arguments + ["--set-selections"]
    if !isRepair, !isDownload, !root.journaledNames.isEmpty {
      add(.settle, takeIn, dpkg.environment)
    }
    if configuresLast {
      add(.install, takeIn, dpkg.environment)
    } else if isRepair {
      // A direct call of dpkg, not through the gate: incomplete packages are configured before
      // anything else.
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
          .install,
          [apt] + unlocked + jobName + (removes ? [] : ["--no-remove"]) + command.installing,
          installing.merging(requester) { own, _ in own })
      }
    }
    // Pending triggers, which apt does not run.
    if configuresLast { add(.install, configureAll, dpkg.environment) }
    let expected = work.plan.steps.enumerated().compactMap { index, step in
      work.finishedSteps.contains(index) ? nil : WorkSequence.expectation(of: step)
    }
    return WorkOrder(
      commands: commands, dpkg: dpkg, adminDirectory: root.adminDirectory,
      frontendLock: root.frontendLock, lockTimeout: work.request.options.lockSeconds,
      expected: Set(expected), decidingFiles: root.decidingFiles, archives: orderedArchives,
      stopWithin: work.request.options.stopSeconds,
      foreseen: foreseen.map { WorkOrder.Foreseen(state: $0.state) },
      automaticMark: isDownload ? nil : try automaticMark(),
      manualMark: isDownload ? nil : manualMark,
      isDownloadOnly: isDownload)
  }

  /// The option by which apt's history names the job: it has no meaning to apt, and apt writes its
  /// arguments down.
  private var jobName: [String] { ["-o", "Fettle::Job=\(work.id)"] }

  /// The variable by which apt's history names the requester.
  ///
  /// apt reads three such variables (apt 2.6.1 and 3.0.4); scripts of packages look at `SUDO_UID`
  /// and `PKEXEC_UID`, too, and ask that user's desktop.
  private var requester: [String: String] {
    work.requester.map { ["PACKAGEKIT_CALLER_UID": String($0)] } ?? [:]
  }

  /// The command that marks packages as installed automatically; nil where there are none.
  ///
  /// apt marks packages that it is asked for by name as installed manually. This command corrects
  /// the mark of new packages that no user asked for, of packages that are only configured, and of
  /// packages that were marked as automatic before an upgrade, whether it changes them or not.
  private func automaticMark() throws(InstallationError) -> WorkOrder.Command? {
    let isUpgrade = work.request.operation == .upgrade && !work.request.updates.isEmpty
    let marked = try root.automaticPackages()
    let names = work.plan.requests.compactMap { row -> String? in
      guard row.update.isAutomatic || isUpgrade, let step = row.step.map({ work.plan.steps[$0] })
      else { return nil }
      let name = AptCommand.qualified(step.name, step.architecture)
      let isNew = row.update.isAutomatic && step.action == .install
      return isNew || marked.contains(name) ? name : nil
    }
    // What an upgrade of everything leaves out is named with the version at which it stays.
    let leftOut = work.plan.leftOut.map { AptCommand.qualified($0.name, $0.architecture) }
      .filter(marked.contains)
    guard !(names + leftOut).isEmpty else { return nil }
    return WorkOrder.Command(
      role: .install, arguments: ["/usr/bin/apt-mark", "auto", "--"] + names + leftOut,
      environment: environment(.configuration))
  }

  /// The command that marks packages as installed manually; nil where there are none.
  private var manualMark: WorkOrder.Command? {
    let names = work.plan.requests.filter { $0.marksManual == true }.map {
      AptCommand.qualified($0.update.name, $0.update.architecture)
    }
    guard !names.isEmpty else { return nil }
    return WorkOrder.Command(
      role: .install, arguments: ["/usr/bin/apt-mark", "manual", "--"] + names,
      environment: environment(.configuration))
  }

  /// The archives to be unpacked, for the division into groups.
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

  /// The text of the script that apt calls instead of dpkg.
  package static var gateScript: String {
    String(decoding: PackageResources.dpkg_gate_sh, as: UTF8.self)
  }

  /// The text of the script that checks apt's announced operations.
  package static var intentionGateScript: String {
    String(decoding: PackageResources.intention_gate_sh, as: UTF8.self)
  }

  /// The text of the script that dpkg calls instead of `dpkg-split`.
  package static var archiveGateScript: String {
    String(decoding: PackageResources.archive_gate_sh, as: UTF8.self)
  }

  // Bytes reserved for each step, several times the measured amount.
  private static let room: [JobFolder.Entry: Int] = [
    .dpkgStatus: 1024, .status: 2048, .stages: 64, .calls: 512,
    // dpkg and apt fail when they cannot write their messages.
    .log: 1024,
    // Released for `exit` when the disk is full.
    .lock: 256,
    // One line for each name in each of its spellings.
    .stopRoom: 256,
  ]

  private func clearEarlierWork() throws(InstallationError) {
    let folder = work.folder
    guard folder.has(.started) || folder.has(.exit) else { return }
    let worker = folder.value(ProcessIdentity.self, of: .started)
    // Other processes in the session belong to packages: services that scripts started.
    guard folder.has(.exit) || !folder.isLockedByWorker,
      folder.has(.exit) || !(worker.map { SessionWork(after: $0).isAtWork } ?? false)
    else {
      throw InstallationError(
        .invalidState, "earlier work of this job still goes on", class: .transient,
        hint: "wait for it to end")
    }
    // In this order, a reader of the remaining files sees that the earlier work has ended, and,
    // after `started` is removed, that the next work has not started.
    for entry in [
      JobFolder.Entry.stop, .stopRoom, .stopped, .calls, .sequence, .foreseen, .agreed, .differs,
      .groups, .started, .exit,
    ] {
      folder.remove(entry)
    }
  }

  // Sets the mode of an existing own folder too; refuses a folder of another user.
  private func makeFolder(_ path: String, mode: mode_t) throws(InstallationError) {
    let refused = unsafe mkdir(path, 0o700) == 0 ? 0 : errno
    var record = stat()
    guard let folder = Descriptor(Self.openFolder(path)),
      unsafe fstat(folder.number, &record) == 0
    else {
      // The error of mkdir says more than ENOENT from open.
      if errno == ENOENT, refused != 0 { errno = refused }
      throw unwritable(path)
    }
    guard record.st_uid == geteuid(), record.st_mode & 0o022 == 0 else {
      errno = EPERM
      throw unwritable(path)
    }
    guard fchmod(folder.number, mode) == 0 else { throw unwritable(path) }
  }

  // Whether the folder belongs to apt's sandbox user and its parent can be written only by this
  // process's user.
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

import CProcess
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// Carries out one worker's order: downloads, the package lock, the check, the installation.
struct WorkerRun {
  let folder: JobFolder
  let order: WorkOrder
  /// A descriptor that is readable after SIGTERM.
  let termination: Int32
  private let stopLock = StopLock()

  init(folder: JobFolder, order: WorkOrder, termination: Int32) {
    self.folder = folder
    self.order = order
    self.termination = termination
  }

  func perform() -> WorkEnd {
    guard let log = folder.open(.log, O_WRONLY | O_APPEND | O_CREAT) else {
      return refused(.internal, "the job's log cannot be written")
    }
    let downloads = commands(.download)
    if !downloads.isEmpty { folder.append(WorkNote.downloading, to: .stages) }
    let check = downloads.isEmpty || isForeseen ? nil : beginCheck()
    defer { check?.process.killAndReap() }
    // Waits for other processes that already fetch these archives.
    if !downloads.isEmpty, !hasArchives {
      for entry in [JobFolder.Entry.arriving, .fetching] {
        guard folder.makeLock(entry) else {
          return refused(.internal, "the lock of the job's downloads cannot be made")
        }
        let wait = WorkOrder.Command(
          role: .download, arguments: WorkOrder.underLock(folder.path(entry)) + ["/bin/true"],
          environment: order.dpkg.environment)
        if case .stopped = runUnlessStopped(wait, log: log) { return stopped() }
      }
    }
    for command in downloads where !hasArchives {
      let complaints = Complaints(in: folder)
      switch runUnlessStopped(command, log: log) {
      case .exited(0): break
      case .exited(let status):
        let error = complaints.downloadError(
          isUpgradeOfEverything: command.arguments.contains {
            $0 == "upgrade" || $0 == "dist-upgrade"
          })
        return WorkEnd(exitStatus: status, stoppedAtBoundary: false, error: error)
      case .abandoned:
        return WorkEnd(exitStatus: -1, stoppedAtBoundary: false, error: FetcherWatch.error)
      case .stopped: return stopped()
      }
    }
    if order.downloadOnly ?? false {
      return acceptsStop() ? stopped() : WorkEnd(exitStatus: 0, stoppedAtBoundary: false)
    }
    let (lock, outcome) = acquireLocks()
    switch outcome {
    case .held: break
    case .stopped: return stopped()
    case .failed(let error):
      return WorkEnd(exitStatus: -1, stoppedAtBoundary: false, error: error)
    }
    return withExtendedLifetime(lock) {
      let terminal = TerminalLog(adminDirectory: order.adminDirectory, log: folder.path(.log))
      let end = install(after: check, log: log)
      if !terminal.complete() {
        _ = folder.append(line: "fettle: apt's term.log cannot be written", to: .log)
      }
      markAutomatic(log: log)
      markManual(log: log)
      return end
    }
  }

  /// Marks packages that no user asked for by name as installed automatically.
  ///
  /// apt-mark itself skips packages that are not installed.
  private func markAutomatic(log: Descriptor) {
    guard let command = order.automaticMark, !folder.text(of: .calls).isEmpty else { return }
    guard run(command, log: log) != 0 else { return }
    let line = "fettle: the packages that came along could not be marked as installed automatically"
    _ = folder.append(line: line, to: .log)
  }

  /// Marks packages that were installed already and were asked for by name as wanted for themselves.
  ///
  /// The package root shows afterwards whether they are.
  private func markManual(log: Descriptor) {
    if let command = order.manualMark { _ = run(command, log: log) }
  }

  /// Whether all archives are present, fetched ahead or by earlier work of the job.
  ///
  /// Compares only sizes, as apt does: apt moves an archive into this folder after checking its
  /// hash.
  private var hasArchives: Bool {
    guard let archives = order.archives else { return false }
    return archives.allSatisfy { archive in
      archive.size == nil || RootFiles.status(archive.path)?.size == archive.size
    }
  }

  /// The line in the job's log where the work stopped on request.
  static let stopLine = "fettle: stopped here as requested; the rest was not begun"

  /// Acquires the front ends' lock, then waits until dpkg's own lock is free.
  ///
  /// A dpkg whose front end was killed keeps running and holds only its own lock (stop matrix F7).
  private func acquireLocks() -> (FrontendLock, FrontendLock.Outcome) {
    let lock = FrontendLock(path: order.frontendLock)
    let start = ContinuousClock.now
    let outcome = acquire(lock, within: order.lockTimeout)
    guard case .held = outcome else { return (lock, outcome) }
    let waited = Double(start.duration(to: .now).milliseconds) / 1000
    // The lock is released at once: the dpkg of this job acquires it.
    let database = FrontendLock(path: order.adminDirectory + "/lock")
    return (lock, acquire(database, within: order.lockTimeout.map { max(0, $0 - waited) }))
  }

  private func acquire(_ lock: FrontendLock, within seconds: Double?) -> FrontendLock.Outcome {
    let dpkgLog = order.adminDirectory + "/../../log/dpkg.log"
    var progress = ForeignProgress(log: dpkgLog)
    var last: String?
    return lock.acquire(
      within: seconds, termination: termination, isStopped: { acceptsStop() },
      note: {
        (progress, last) = (ForeignProgress(log: dpkgLog), nil)
        folder.append(WorkNote.waitingForLock(holder: $0), to: .stages)
      },
      whileWaiting: {
        guard let now = progress.read(), now != last else { return }
        last = now
        folder.append(WorkNote.holderProgress(now), to: .stages)
      })
  }

  private func install(after check: Check?, log: Descriptor) -> WorkEnd {
    folder.append(WorkNote.installing, to: .stages)
    if let error = mergeNotedChanges(log: log) { return error }
    if !prepareComparison(), let error = checkSequence(begun: check) { return error }
    return carryOut(log: log)
  }

  /// Runs dpkg so that it merges the changes noted by an interrupted dpkg into its database.
  private func mergeNotedChanges(log: Descriptor) -> WorkEnd? {
    for var command in commands(.settle) {
      command.environment["DPKG_FRONTEND_LOCKED"] = "true"
      let status = run(command, log: log)
      guard status != 0 else { continue }
      return refused(
        .packageFailed, "dpkg cannot take in what it had noted when it was interrupted",
        status: status, hint: "the job's log has dpkg's own words")
    }
    return nil
  }

  // With `isAskedAgain`, the sequence is from a simulation that ran after planning.
  private func carryOut(log: Descriptor, isAskedAgain: Bool = false) -> WorkEnd {
    writeGroups()
    let before = IncompletePackages(adminDirectory: order.adminDirectory)
    let history = AptHistory(adminDirectory: order.adminDirectory)
    var status: Int32 = 0
    var isHeld = false
    let complaints = Complaints(in: folder)
    for var command in commands(.install) {
      // A direct call of dpkg does not pass the gate.
      if command.arguments.first == order.dpkg.arguments.first,
        command.arguments.contains(WorkOrder.configureOption)
      {
        let passage = checkGate()
        isHeld = passage == .held
        // A call that cannot be noted in `calls` must not run, and the job must not succeed.
        if passage == .failed { status = -1 }
        if passage != .free { break }
      }
      command.environment["DPKG_FRONTEND_LOCKED"] = "true"
      command.environment["FETTLE_ADMIN"] = order.adminDirectory
      status = run(command, log: log)
      if status != 0 { break }
    }
    let isStopped = isHeld || folder.has(.stopped)
    // apt's message calls the gate's answer a failure; this line states the real reason.
    if isStopped { _ = folder.append(line: Self.stopLine, to: .log) }
    guard status != 0 || isStopped else {
      return WorkEnd(exitStatus: 0, stoppedAtBoundary: false)
    }
    // The intention gate did not agree and nothing was started: apt's operations differ from the
    // plan's sequence, or the root's settings removed the hook.
    let isDisagreed = folder.has(.foreseen) && !folder.has(.agreed)
    if !isAskedAgain, folder.has(.differs) || isDisagreed, folder.text(of: .calls).isEmpty {
      for entry in [JobFolder.Entry.foreseen, .agreed, .differs, .groups] { folder.remove(entry) }
      return checkSequence(begun: nil) ?? carryOut(log: log, isAskedAgain: true)
    }
    let breakdown = complaints.breakdown()
    let finished = configureLeftovers(since: before, log: log)
    if isStopped {
      let text = RootFiles.text(of: order.adminDirectory + "/status", limit: 1 << 28) ?? ""
      if !text.isEmpty, !history.correct(status: text) {
        let words = "fettle: apt's history.log cannot be written; it calls this stop an error"
        _ = folder.append(line: words, to: .log)
      }
    }
    if !isStopped, folder.text(of: .calls).isEmpty {
      return WorkEnd(
        exitStatus: status, stoppedAtBoundary: false, error: complaints.refusal())
    }
    return WorkEnd(
      exitStatus: isStopped ? finished : status, stoppedAtBoundary: isStopped,
      error: breakdown ?? complaints.hookFailure())
  }

  /// Whether the sequence that was printed for the plan is still valid.
  private var isForeseen: Bool {
    guard let foreseen = order.foreseen else { return false }
    return foreseen.state == nil
      || foreseen.state == RootState(of: order.decidingFiles).fingerprint
  }

  /// Prepares the comparison of apt's announced operations with the sequence printed for the plan.
  ///
  /// This comparison replaces a second simulation, which takes as long as planning. It happens
  /// under the package lock, so that nothing changes afterwards.
  ///
  /// - Returns: Whether the comparison is prepared; false where a simulation is needed.
  private func prepareComparison() -> Bool {
    guard isForeseen else { return false }
    let printed = folder.text(of: .sequence)
    guard WorkSequence.operations(printed: printed) == order.expected else { return false }
    let intention = WorkSequence.intention(printed: printed)
    return folder.writeWhole(Array(intention.utf8), to: .foreseen)
  }

  /// Acts as the gate does, for a direct call that configures all packages.
  private func checkGate() -> Passage {
    folder.whileGateIsLocked {
      if folder.has(.stop) {
        folder.markStopped()
        return .held
      }
      return folder.append(line: "configure\t-a", to: .calls) ? .free : .failed
    } ?? .failed
  }

  private enum Passage {
    case free
    case held
    case failed
  }

  /// A running check, with the state of the deciding files at its start.
  private struct Check {
    var process: ToolProcess
    var state: RootState
  }

  /// Starts the check in parallel with the download, because it takes apt half a second.
  ///
  /// Does not start it while another process holds the front ends' lock, because its result would
  /// be out of date.
  private func beginCheck() -> Check? {
    guard let command = commands(.check).first, LockFile.holder(of: order.frontendLock) == nil
    else { return nil }
    let state = RootState(of: order.decidingFiles)
    return startCheck(command).map { Check(process: $0, state: state) }
  }

  private func startCheck(_ command: WorkOrder.Command) -> ToolProcess? {
    guard let output = folder.open(.sequence, O_WRONLY | O_CREAT | O_TRUNC) else { return nil }
    return start(command, log: output)
  }

  /// Compares apt's simulation with the plan, under the package lock, so that nothing changes in
  /// between.
  ///
  /// Uses the result of the earlier check if the deciding files have not changed since.
  private func checkSequence(begun check: Check?) -> WorkEnd? {
    for command in commands(.check) {
      var status = check?.process.reap()
      if check == nil || check?.state != RootState(of: order.decidingFiles) {
        guard let process = startCheck(command) else {
          return refused(.internal, "the order of work cannot be written")
        }
        status = process.reap()
      }
      let printed = folder.text(of: .sequence)
      guard status == 0, WorkSequence.operations(printed: printed) == order.expected else {
        return refused(
          .planOutOfDate, "the package system would now do something else than the plan says",
          status: status ?? -1, hint: "plan the job again")
      }
    }
    return nil
  }

  /// Writes the division of the unpacking into groups, which only makes stops possible sooner.
  ///
  /// An error is ignored.
  private func writeGroups() {
    guard let archives = order.archives, !archives.isEmpty else { return }
    let groups = WorkGroups(
      of: WorkSequence.steps(printed: folder.text(of: .sequence)), archives: archives,
      within: order.stopWithin ?? WorkGroups.longest)
    guard !groups.isEmpty else { return }
    _ = folder.writeWhole(Array(groups.text.utf8), to: .groups)
  }

  /// Configures the packages that this job left unpacked, and runs pending triggers.
  ///
  /// Names the packages instead of configuring all, so that a script that has just failed does not
  /// run again.
  private func configureLeftovers(since before: IncompletePackages, log: Descriptor) -> Int32 {
    // A dpkg whose front end was killed keeps running with the database's lock; waits for it and
    // releases the lock at once.
    _ = FrontendLock(path: order.adminDirectory + "/lock").acquire(
      within: nil, termination: termination, isStopped: { false }, note: { _ in })
    let now = IncompletePackages(adminDirectory: order.adminDirectory)
    let unpacked = now.unpacked.subtracting(before.unpacked).sorted()
    var status: Int32 = 0
    if !unpacked.isEmpty || now.hasTriggers { folder.append(WorkNote.finishing, to: .stages) }
    if !unpacked.isEmpty { status = runDpkg(["--configure"] + unpacked, log: log) }
    if IncompletePackages(adminDirectory: order.adminDirectory).hasTriggers {
      status = max(status, runDpkg(["--triggers-only", "--pending"], log: log))
    }
    return status
  }

  private func runDpkg(_ arguments: [String], log: Descriptor) -> Int32 {
    var command = order.dpkg
    command.arguments += arguments
    command.environment["DPKG_FRONTEND_LOCKED"] = "true"
    return run(command, log: log)
  }

  private func commands(_ role: WorkOrder.Command.Role) -> [WorkOrder.Command] {
    order.commands.filter { $0.role == role }
  }

  /// Accepts a pending request to stop; after that it cannot be cancelled.
  ///
  /// Returns false when no request is pending.
  func acceptsStop() -> Bool {
    guard case .accepted(let hold) = folder.acceptStop() else { return false }
    stopLock.keep(hold)
    return true
  }

  private func stopped() -> WorkEnd { WorkEnd(exitStatus: 0, stoppedAtBoundary: true) }

  private func refused(
    _ code: InstallationError.Code, _ message: String, status: Int32 = -1,
    class: InstallationError.Class = .needsHuman, hint: String? = nil
  ) -> WorkEnd {
    WorkEnd(
      exitStatus: status, stoppedAtBoundary: false,
      error: InstallationError(code, message, class: `class`, hint: hint))
  }
}

/// Keeps the lock on the accepted request to stop until the worker ends.
private final class StopLock {
  private var descriptors: [Descriptor] = []

  func keep(_ descriptor: Descriptor?) {
    if descriptors.isEmpty, let descriptor { descriptors.append(descriptor) }
  }
}

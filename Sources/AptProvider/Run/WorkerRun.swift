import CProcess
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// One worker's way through its order: downloads, the lock, the check, the installation.
struct WorkerRun {
  let folder: JobFolder
  let order: WorkOrder
  /// Readable once SIGTERM has come.
  let termination: Int32
  private let stopHold = StopHold()

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
    defer { check?.process.abandon() }
    // What fetches them already is waited for.
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
        let error = complaints.downloadError()
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
      return end
    }
  }

  /// Marks packages that nobody asked for by name as installed automatically; those that are not
  /// installed are passed over by apt-mark itself.
  private func markAutomatic(log: Descriptor) {
    guard let command = order.automaticMark, !folder.text(of: .calls).isEmpty else { return }
    guard run(command, log: log) != 0 else { return }
    let line = "fettle: the packages that came along could not be marked as installed automatically"
    _ = folder.append(line: line, to: .log)
  }

  /// Whether all archives are there: fetched ahead, or by earlier work of the job.
  ///
  /// apt puts an archive into this folder when its hash was checked, and looks at the size alone
  /// from then on; so does this.
  private var hasArchives: Bool {
    guard let archives = order.archives else { return false }
    return archives.allSatisfy { archive in
      archive.size == nil || RootFiles.trace(archive.path)?.size == archive.size
    }
  }

  /// What the log says where work was stopped on request.
  static let stopLine = "fettle: stopped here as requested; the rest was not begun"

  /// Takes the front ends' lock and waits until dpkg's own one is free.
  ///
  /// A dpkg whose front end was killed works on with its own lock alone (stop matrix F7).
  private func acquireLocks() -> (FrontendLock, FrontendLock.Outcome) {
    let lock = FrontendLock(path: order.frontendLock)
    let start = ContinuousClock.now
    let outcome = acquire(lock, within: order.lockTimeout)
    guard case .held = outcome else { return (lock, outcome) }
    let waited = Double(start.duration(to: .now).milliseconds) / 1000
    // Let go at once: the dpkg of this job takes it.
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
    if let error = finish(log: log) { return error }
    if !foresee(), let error = checkSequence(begun: check) { return error }
    return carryOut(log: log)
  }

  /// Has dpkg take in what an interrupted one has noted.
  private func finish(log: Descriptor) -> WorkEnd? {
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

  // Asked again, apt has said what it will do since the plan was made.
  private func carryOut(log: Descriptor, isAskedAgain: Bool = false) -> WorkEnd {
    divide()
    let before = HalfStates(adminDirectory: order.adminDirectory)
    let history = AptHistory(adminDirectory: order.adminDirectory)
    var status: Int32 = 0
    var isHeld = false
    let complaints = Complaints(in: folder)
    for var command in commands(.install) {
      // dpkg called directly does not meet the gate.
      if command.arguments.first == order.dpkg.arguments.first,
        command.arguments.contains(WorkOrder.configureOption)
      {
        let passage = passGate()
        isHeld = passage == .held
        // Without its note in `calls` dpkg must not run, and that is no success.
        if passage == .failed { status = -1 }
        if passage != .free { break }
      }
      command.environment["DPKG_FRONTEND_LOCKED"] = "true"
      command.environment["FETTLE_ADMIN"] = order.adminDirectory
      status = run(command, log: log)
      if status != 0 { break }
    }
    let isStopped = isHeld || folder.has(.stopped)
    // apt takes the gate's answer for a failure and says so; this tells the reader better.
    if isStopped { _ = folder.append(line: Self.stopLine, to: .log) }
    guard status != 0 || isStopped else {
      return WorkEnd(exitStatus: 0, stoppedAtBoundary: false)
    }
    // Not agreed to, and nothing begun: apt meant something else, or a root's settings took the hook out.
    let isDisagreed = folder.has(.foreseen) && !folder.has(.agreed)
    if !isAskedAgain, folder.has(.differs) || isDisagreed, folder.text(of: .calls).isEmpty {
      for entry in [JobFolder.Entry.foreseen, .agreed, .differs, .groups] { folder.remove(entry) }
      return checkSequence(begun: nil) ?? carryOut(log: log, isAskedAgain: true)
    }
    let breakdown = complaints.breakdown()
    let finished = finish(since: before, log: log)
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
      exitStatus: isStopped ? finished : status, stoppedAtBoundary: isStopped, error: breakdown)
  }

  /// Whether the sequence that was printed for the plan can be gone by.
  private var isForeseen: Bool {
    guard let foreseen = order.foreseen else { return false }
    return foreseen.state == nil
      || foreseen.state == RootState(of: order.decidingFiles).fingerprint
  }

  /// Has apt's intention compared with the sequence that was printed for the plan, instead of asking
  /// apt for it once more, which takes it as long as planning did.
  ///
  /// - Returns: Whether it is; under the lock, so that nothing moves afterwards.
  private func foresee() -> Bool {
    guard isForeseen else { return false }
    let printed = folder.text(of: .sequence)
    guard WorkSequence.operations(printed: printed) == order.expected else { return false }
    let intention = WorkSequence.intention(printed: printed)
    return folder.writeWhole(Array(intention.utf8), to: .foreseen)
  }

  /// Does as the gate does, for a call that configures everything that waits.
  private func passGate() -> Passage {
    folder.whileGateIsLocked {
      if folder.has(.stop) {
        folder.noteStopped()
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

  /// A check that is under way, and what it goes by.
  private struct Check {
    var process: ToolProcess
    var state: RootState
  }

  /// Begins the check beside the download: it costs apt half a second in which nothing is written.
  ///
  /// Not while somebody works on the packages, for it would be in vain.
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

  /// Compares what apt is about to do with the plan, under the lock, so that nothing moves between.
  ///
  /// What was printed before stands when nothing that apt goes by has moved since.
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

  /// Writes down where the unpacking is divided, which only makes stops come sooner.
  private func divide() {
    guard let archives = order.archives, !archives.isEmpty else { return }
    let groups = WorkGroups(
      of: WorkSequence.steps(printed: folder.text(of: .sequence)), archives: archives,
      within: order.stopWithin ?? WorkGroups.longest)
    guard !groups.isEmpty else { return }
    _ = folder.writeWhole(Array(groups.text.utf8), to: .groups)
  }

  /// Configures what this job left merely unpacked, and runs triggers that wait.
  ///
  /// Names the packages instead of configuring all, so that a script that has just failed does not
  /// run once more.
  private func finish(since before: HalfStates, log: Descriptor) -> Int32 {
    // A dpkg whose front end was killed works on, with the database's own lock; let go of at once.
    _ = FrontendLock(path: order.adminDirectory + "/lock").acquire(
      within: nil, termination: termination, isStopped: { false }, note: { _ in })
    let now = HalfStates(adminDirectory: order.adminDirectory)
    let unpacked = now.unpacked.subtracting(before.unpacked).sorted()
    var status: Int32 = 0
    if !unpacked.isEmpty || now.hasTriggers { folder.append(WorkNote.finishing, to: .stages) }
    if !unpacked.isEmpty { status = runDpkg(["--configure"] + unpacked, log: log) }
    if HalfStates(adminDirectory: order.adminDirectory).hasTriggers {
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

  /// Lets a stop take effect, if one is asked for: from then on it cannot be withdrawn.
  func acceptsStop() -> Bool {
    guard case .taken(let hold) = folder.acceptStop() else { return false }
    stopHold.keep(hold)
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

/// The hold on a stop that is in effect, until the worker ends.
private final class StopHold {
  private var descriptors: [Descriptor] = []

  func keep(_ descriptor: Descriptor?) {
    if descriptors.isEmpty, let descriptor { descriptors.append(descriptor) }
  }
}

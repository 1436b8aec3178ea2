import FoundationEssentials
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// The loop behind a run: waits for wake-ups, reads, and detects the worker's end.
struct Follower: Sendable {
  let folder: JobFolder
  var reader: FolderReader
  var worker: Descriptor?
  private var identity: ProcessIdentity?
  private var watched: Set<ProcessIdentity> = []
  private var locks: [String]?
  private var isAbandoned = false
  private let clock: any Clock<Duration>
  private let session: @Sendable (ProcessIdentity) -> SessionWork
  /// Whether the time-out for scripts that continue without a tool is running.
  private var isTimingScripts = false
  private var reportedFiles: Set<String> = []
  private var gauge: UnpackGauge?
  private var shown: (step: Int, share: Double) = (-1, 0)
  private var bound = LogBound()

  /// The minimum time between two readings: lines of a burst form one batch.
  ///
  /// Each batch with events is a database transaction, which waits for the disk that dpkg uses too.
  static let batchInterval = Duration.milliseconds(40)

  init(
    folder: JobFolder, reader: FolderReader, worker: Descriptor?, clock: any Clock<Duration>,
    session: @escaping @Sendable (ProcessIdentity) -> SessionWork = { SessionWork(after: $0) }
  ) {
    self.folder = folder
    self.reader = reader
    self.worker = worker
    self.clock = clock
    self.session = session
  }

  /// The interval of polling a lock that another process holds, in the absence of events.
  static let worklessTimeout = Duration.seconds(1)

  /// The time-out for scripts that continue without the tool that started them.
  static let scriptTimeout = Duration.seconds(600)

  mutating func follow(_ emit: (WorkBatch) -> Void) async {
    let archives = folder.path(.archives)
    guard let watch = await watch([folder.path, archives, archives + "/partial"]) else { return }
    if worker == nil, !findWorker() {
      readAll(emit)
      // Work that was never started leaves nothing to wait for.
      for await _ in watch.wakeUps {
        watch.rearm()
        if !(hasHadLock && isLocked(watch)) || reader.end != nil { break }
        reportLoss(emit)
        try? await Task.sleep(for: Self.batchInterval)
        if Task.isCancelled { return }
      }
      if Task.isCancelled { return }
      readAll(emit)
      reportRunningProcesses(emit)
      emit(last())
      return
    }
    if let worker { watch.add(worker) }
    for await _ in watch.wakeUps {
      // Events from now on may come too late for this reading.
      watch.rearm()
      // Checked before reading: everything that a process wrote before its end is then read.
      let isGone = worker?.hasEnded ?? true
      readAll(emit)
      measureUnpacking(watch, emit)
      // After it has written `exit` the worker ends at once and releases the package lock.
      if isGone {
        guard reader.end == nil, isWaiting(for: watch) else {
          readAll(emit)
          if reader.end == nil { reportRunningProcesses(emit) }
          emit(last())
          return
        }
        reportLoss(emit)
      }
      try? await Task.sleep(for: Self.batchInterval)
      if Task.isCancelled { return }
    }
  }

  /// Returns a watch on folders, waiting until the kernel can provide one.
  ///
  /// The user may have no inotify instance left, or the engine no descriptor; the work continues
  /// meanwhile.
  ///
  /// - Returns: Nil when the task was cancelled.
  private func watch(_ folders: [String]) async -> FolderWatch? {
    while !Task.isCancelled {
      if let watch = FolderWatch(folders) { return watch }
      try? await clock.sleep(for: Self.worklessTimeout)
    }
    return nil
  }

  private mutating func reportLoss(_ emit: (WorkBatch) -> Void) {
    guard !isAbandoned else { return }
    isAbandoned = true
    emit(WorkBatch([.abandoned], offsets: reader.offsets))
  }

  // Measures only large archives, and only ten times a second.
  private mutating func measureUnpacking(_ watch: FolderWatch, _ emit: (WorkBatch) -> Void) {
    guard let (step, size) = reader.unpacking, size > 5_000_000 else {
      gauge = nil
      return
    }
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    watch.wakeUp(after: .milliseconds(100), on: ContinuousClock(), because: .unpacking)
    if gauge?.share() == nil {
      // dpkg-deb has several processes; the process that decompresses has the archive open.
      gauge = identity?.session().filter { $0.command == "dpkg-deb" }
        .map { UnpackGauge(process: $0.pid) }.first { $0.share() != nil }
    }
    guard let share = gauge?.share() else {
      gauge = nil
      return
    }
    if shown.step != step { shown = (step, 0) }
    guard share > shown.share, share < 1 else { return }
    shown.share = share
    emit(WorkBatch([.fraction(step: step, share)], offsets: reader.offsets))
  }

  private mutating func readAll(_ emit: (WorkBatch) -> Void) {
    while let batch = reader.next() {
      emit(batch)
      for case .log(let length) in batch.reports { bound.keep(folder, length: length) }
      if reader.isExhausted { break }
    }
    reportDamagedFiles(emit)
  }

  /// Reports files of the folder that another process has truncated or that are longer than the
  /// reader's limit, because their content is unknown.
  private mutating func reportDamagedFiles(_ emit: (WorkBatch) -> Void) {
    let remarks =
      reader.cutFiles.map { "the file \($0) in the job's folder was emptied by another process" }
      + reader.overlongFiles.map {
        "the file \($0) in the job's folder is longer than any work makes it: its end is not read"
      }
    for words in remarks where reportedFiles.insert(words).inserted {
      _ = folder.append(line: "fettle: \(words)", to: .log)
      emit(WorkBatch([.remark(words)], offsets: reader.offsets))
    }
  }

  /// Reports the processes that still run after the job ended without an exit status.
  private func reportRunningProcesses(_ emit: (WorkBatch) -> Void) {
    guard let identity, let names = session(identity).wordsForAll else { return }
    let words = "still running, and not waited for: \(names)"
    _ = folder.append(line: "fettle: \(words)", to: .log)
    emit(WorkBatch([.remark(words)], offsets: reader.offsets))
  }

  private func last() -> WorkBatch {
    let report = reader.end.map { WorkReport.ended($0) } ?? .lost
    return WorkBatch([report], offsets: reader.offsets)
  }

  /// Whether the job's worker, or a tool or script of it, still runs.
  ///
  /// If no worker has started, creates `started`, so that a late one refuses to start.
  private mutating func findWorker() -> Bool {
    // The first process to create `started` decides: a worker that comes later refuses to start.
    if folder.create(.started, "") { return false }
    identity = folder.value(ProcessIdentity.self, of: .started)
    worker = identity?.open()
    if identity == nil, folder.isLockedByWorker { return true }
    return worker != nil || (identity.map(session) ?? SessionWork()).isAtWork
  }

  /// Whether processes of the job still run without the worker; requests a wake-up for their end.
  private mutating func isWaiting(for watch: FolderWatch) -> Bool {
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    // A worker whose `started` was emptied is known only by its lock, and its end sends no event.
    if identity == nil, folder.isLockedByWorker {
      watch.wakeUp(after: Self.worklessTimeout, on: clock, because: .lock)
      return true
    }
    let work = identity.map(session) ?? SessionWork()
    for process in work.tools + work.scripts where !watched.contains(process) {
      if let descriptor = process.open() {
        watched.insert(process)
        watch.add(descriptor)
      } else {
        // The process ended after it was listed, so its end sends no event.
        watch.wakeUp(after: Self.worklessTimeout, on: clock, because: .leftover)
      }
    }
    // When the job never had the lock, the lock's present holder does not belong to the job.
    if hasHadLock, isLocked(watch) { return true }
    if !work.tools.isEmpty { return true }
    return !work.scripts.isEmpty && isWaitingForScripts(watch)
  }

  /// Whether scripts without a tool are still awaited; requests a wake-up for the end of the
  /// time-out.
  private mutating func isWaitingForScripts(_ watch: FolderWatch) -> Bool {
    if !isTimingScripts {
      isTimingScripts = true
      watch.wakeUp(after: Self.scriptTimeout, on: clock, because: .scripts)
    }
    return !watch.hasElapsed(.scripts)
  }

  /// Whether the work has acquired the package lock: its last note is not about waiting for it.
  private var hasHadLock: Bool {
    for line in folder.text(of: .stages).split(separator: "\n").reversed() {
      switch try? JSONDecoder().decode(WorkNote.self, from: Data(line.utf8)) {
      case .holderProgress: continue
      // A truncated line: the worker ended while it wrote it.
      case .installing, .finishing, nil: return true
      case .downloading, .waitingForLock: return false
      }
    }
    return false
  }

  /// Whether a process holds a lock of the package database; requests a wake-up for its release.
  ///
  /// The holder may be left from the job, in any session. Another process that works on the
  /// database says nothing about the job.
  private mutating func isLocked(_ watch: FolderWatch) -> Bool {
    // Work that was never started has left no processes.
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    guard identity != nil else { return false }
    if locks == nil {
      let order = folder.value(WorkOrder.self, of: .work)
      locks = order.map { [$0.frontendLock, $0.adminDirectory + "/lock"] } ?? []
      // Before the locks are checked: a process that releases a lock closes its file.
      if let order { watch.addReleases(in: order.adminDirectory) }
    }
    guard let holder = (locks ?? []).lazy.compactMap({ LockFile.holder(of: $0) }).first else {
      return false
    }
    if let process = ProcessIdentity(of: holder), watched.insert(process).inserted,
      let descriptor = process.open()
    {
      watch.add(descriptor)
    }
    // A lock may be released without its file being closed, which sends no event.
    watch.wakeUp(after: Self.worklessTimeout, on: clock, because: .lock)
    return true
  }
}

import FoundationEssentials
import Glibc
import HostSystem
import InstallJobs
import PackageProvider

/// The loop behind a run: wakes up, reads, and notices when the worker is gone.
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
  /// Whether scripts that go on without a tool are waited for, with a time-out.
  private var isTimingScripts = false
  private var reportedFiles: Set<String> = []
  private var gauge: UnpackGauge?
  private var shown: (step: Int, share: Double) = (-1, 0)
  private var bound = LogBound()

  /// The least time between two readings: a burst of lines becomes one batch.
  ///
  /// Each batch that has events is a transaction, which waits for the disk that dpkg needs, too.
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

  /// How long after a look at a lock that is held there is another one, should nothing be heard.
  static let worklessTimeout = Duration.seconds(1)

  /// How long a script is waited for that goes on without the tool that began it.
  static let scriptTimeout = Duration.seconds(600)

  mutating func follow(_ emit: (WorkBatch) -> Void) async {
    let archives = folder.path(.archives)
    guard let watch = await watch([folder.path, archives, archives + "/partial"]) else { return }
    if worker == nil, !findWorker() {
      readAll(emit)
      // Of work that was never begun there is nothing to wait for.
      for await _ in watch.wakeUps {
        watch.rearm()
        if !(hasHadLock && isLocked(watch)) || reader.end != nil { break }
        reportLoss(emit)
        try? await Task.sleep(for: Self.batchInterval)
        if Task.isCancelled { return }
      }
      if Task.isCancelled { return }
      readAll(emit)
      remarkRunning(emit)
      emit(last())
      return
    }
    if let worker { watch.add(worker) }
    for await _ in watch.wakeUps {
      // What comes from now on may come too late for this reading.
      watch.rearm()
      // Before reading: what a process wrote before its end is then read for certain.
      let isGone = worker?.hasEnded ?? true
      readAll(emit)
      measureUnpacking(watch, emit)
      // The worker ends right after it has written its last file, and with it the package lock.
      if isGone {
        guard reader.end == nil, isWaiting(for: watch) else {
          readAll(emit)
          if reader.end == nil { remarkRunning(emit) }
          emit(last())
          return
        }
        reportLoss(emit)
      }
      try? await Task.sleep(for: Self.batchInterval)
      if Task.isCancelled { return }
    }
  }

  /// A watch on folders, as soon as the kernel has one to give: the user may have none left, or the
  /// engine no descriptor, and work that cannot be seen goes on all the same.
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

  // Only packages that take a while are worth the looking, and only a few times a second.
  private mutating func measureUnpacking(_ watch: FolderWatch, _ emit: (WorkBatch) -> Void) {
    guard let (step, size) = reader.unpacking, size > 5_000_000 else {
      gauge = nil
      return
    }
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    watch.wakeUp(after: .milliseconds(100), on: ContinuousClock(), because: .unpacking)
    if gauge?.share() == nil {
      // dpkg-deb is several processes, of which the one that decompresses has the archive open.
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
    remarkFiles(emit)
  }

  /// Reports files of the folder that somebody has cut short, or that have more than is read: what
  /// stood in them is not known.
  private mutating func remarkFiles(_ emit: (WorkBatch) -> Void) {
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

  /// Names what still runs of a job that is over without its worker's last word.
  private func remarkRunning(_ emit: (WorkBatch) -> Void) {
    guard let identity, let names = session(identity).wordsForAll else { return }
    let words = "still running, and not waited for: \(names)"
    _ = folder.append(line: "fettle: \(words)", to: .log)
    emit(WorkBatch([.remark(words)], offsets: reader.offsets))
  }

  private func last() -> WorkBatch {
    let report = reader.end.map { WorkReport.ended($0) } ?? .lost
    return WorkBatch([report], offsets: reader.offsets)
  }

  /// Finds the worker that an earlier engine started; false when there is none any more.
  private mutating func findWorker() -> Bool {
    // Whoever creates `started` first decides: a worker that comes later refuses.
    if folder.create(.started, "") { return false }
    identity = folder.value(ProcessIdentity.self, of: .started)
    worker = identity?.open()
    if identity == nil, folder.isLockedByWorker { return true }
    return worker != nil || (identity.map(session) ?? SessionWork()).isAtWork
  }

  /// Whether something of the job still runs without its worker; wakes up when that ends.
  private mutating func isWaiting(for watch: FolderWatch) -> Bool {
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    // A worker whose `started` was emptied is known by its lock alone, and nobody hears of its end.
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
        // It has ended since it was listed, and nobody hears of that any more.
        watch.wakeUp(after: Self.worklessTimeout, on: clock, because: .rest)
      }
    }
    // Whoever holds a lock that the job never had is no part of it.
    if hasHadLock, isLocked(watch) { return true }
    if !work.tools.isEmpty { return true }
    return !work.scripts.isEmpty && isWaitingForScripts(watch)
  }

  /// Whether scripts that go on without a tool are still waited for; wakes up when that is over.
  private mutating func isWaitingForScripts(_ watch: FolderWatch) -> Bool {
    if !isTimingScripts {
      isTimingScripts = true
      watch.wakeUp(after: Self.scriptTimeout, on: clock, because: .scripts)
    }
    return !watch.hasElapsed(.scripts)
  }

  /// Whether the work came as far as the package lock: what was noted last was not a wait for it.
  private var hasHadLock: Bool {
    for line in folder.text(of: .stages).split(separator: "\n").reversed() {
      switch try? JSONDecoder().decode(WorkNote.self, from: Data(line.utf8)) {
      case .holderProgress: continue
      // Half a line: it was writing.
      case .installing, .finishing, nil: return true
      case .downloading, .waitingForLock: return false
      }
    }
    return false
  }

  /// Whether somebody holds a lock of the package database, as what is left of the job does in
  /// whatever session it is; wakes up when that may have ended.
  ///
  /// A database at which somebody works says nothing about the job yet.
  private mutating func isLocked(_ watch: FolderWatch) -> Bool {
    // Work that was never begun has left nothing behind.
    if identity == nil { identity = folder.value(ProcessIdentity.self, of: .started) }
    guard identity != nil else { return false }
    if locks == nil {
      let order = folder.value(WorkOrder.self, of: .work)
      locks = order.map { [$0.frontendLock, $0.adminDirectory + "/lock"] } ?? []
      // Before the locks are looked at: whoever lets go of one closes its file.
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
    // A lock may also be let go without its file being closed, and nobody hears of that.
    watch.wakeUp(after: Self.worklessTimeout, on: clock, because: .lock)
    return true
  }
}

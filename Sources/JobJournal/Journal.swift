import FoundationEssentials
import GRDB
package import InstallJobs
import Synchronization

/// The engine's durable store: every accepted job and every durable event, in one SQLite file.
///
/// WAL mode, `synchronous=FULL`, foreign keys on, one writer. Written data is on disk when a call
/// returns. Calls block until then and may come from any thread; writes are serialised. Reads see
/// the last committed state and do not wait for writes.
package final class Journal: Sendable {
  /// A random hexadecimal number created with the file.
  ///
  /// Event numbers are valid only together with it.
  package let epoch: String

  let pool: any DatabaseWriter
  /// Reserved disk space that is released if the journal cannot be written otherwise; nil for none.
  package let reserve: SpaceReserve?
  private let lock: JournalLock
  let live = Mutex<LiveJobs>(LiveJobs())
  private let newest: Atomic<Int>
  /// The first damage found.
  ///
  /// No write is made after it.
  private let damage = Mutex<InstallationError?>(nil)
  let auditRetention: AuditRetention
  private let mark: PositionFile
  /// The events and jobs that were missing when the file was opened, because its write-ahead file
  /// had vanished or the file is an older copy; nil if none.
  ///
  /// ``restoreJobs(_:lastJob:notice:at:)`` restores the jobs.
  package let loss: JournalLoss?

  /// The number of the last durable event; 0 before the first.
  package var lastSeq: Int { newest.load(ordering: .acquiring) }

  private init(
    pool: any DatabaseWriter, lock: JournalLock, meta: MetaRow, retention: AuditRetention,
    reserve: SpaceReserve?, mark: PositionFile, loss: JournalLoss?
  ) {
    self.pool = pool
    self.reserve = reserve
    self.lock = lock
    epoch = meta.epoch
    newest = Atomic(meta.lastSeq)
    auditRetention = retention
    self.mark = mark
    self.loss = loss
  }

  /// Opens the journal at `path`, or creates it with mode 0600 in a folder with mode 0700.
  ///
  /// An existing folder is not changed. Nothing is deleted, and a file that is refused is not
  /// written to.
  ///
  /// - Parameters:
  ///   - path: The file's absolute path. Its folder is created, but not the folders above it.
  ///   - auditRetention: Limits on the stored audit entries.
  ///   - reserve: Reserved disk space that is released if the journal cannot be written otherwise.
  /// - Returns: The journal, migrated to the current schema.
  /// - Throws: `journal` if the folder or file is writable by others or has another owner, if the
  ///   file is not a journal, is damaged, or was written by a newer version; `busy` if another
  ///   engine uses it.
  package static func open(
    at path: String, auditRetention: AuditRetention = AuditRetention(),
    reserve: SpaceReserve? = nil
  ) throws(InstallationError) -> Journal {
    let file = JournalFile(path: path)
    let (isNew, lock) = try journaled("open", path) { try file.prepare() }
    do throws(InstallationError) {
      return try journaled("open", path) {
        let pool = try file.connect(isNew: isNew, reserve: reserve)
        // The epoch must be in the main file, because a later loss of the write-ahead file is
        // detected by comparison with it.
        if isNew { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
        let mark = PositionFile(path: path + "-last")
        var meta = try pool.read { db in try MetaRow.load(db) }
        let loss = meta.loss(since: mark.position)
        // The next event numbers were used before, so a new epoch is needed. It is stored with the
        // notice of the loss.
        if loss != nil { meta.epoch = JournalSchema.newEpoch() }
        return Journal(
          pool: pool, lock: lock, meta: meta, retention: auditRetention, reserve: reserve,
          mark: mark, loss: loss)
      }
    } catch {
      throw lock.classify(error, of: file)
    }
  }

  /// Checkpoints the write-ahead file and closes the journal; later calls throw `journal`.
  ///
  /// Not needed for durability.
  package func close() throws(InstallationError) {
    try journaled("close", pool.path) {
      // SQLite checkpoints at the last close, but the last connection to close is read-only.
      try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
      try pool.close()
      lock.release()
      // The space of the closed files is available for the reserve, which the next engine needs to
      // open them.
      reserve?.make()
    }
  }

  /// Checks every page and the indexes, as opening does.
  ///
  /// Takes about a second per gigabyte.
  ///
  /// - Throws: `journal` with the first fault found.
  package func verify() throws(InstallationError) {
    try refuseWithoutFile("read")
    try read { db in try JournalFile.check(db, self.pool.path) }
  }

  /// Checks the journal at `path` as ``verify()``, without an engine and without changes.
  ///
  /// - Parameter path: The file's absolute path.
  /// - Returns: Number of unfinished jobs; nil if the journal does not exist or is empty.
  /// - Throws: `journal` with the first fault found.
  package static func inspect(at path: String) throws(InstallationError) -> Int? {
    try journaled("read", path) {
      guard FileManager.default.fileExists(atPath: path) else { return nil }
      return try JournalFile(path: path).inspect()
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(InstallationError) -> Value {
    do throws(InstallationError) {
      return try journaled("read", pool.path) { try pool.read(body) }
    } catch {
      throw recordDamage(error)
    }
  }

  /// Distinguishes damage from a disk read error, and records damage permanently.
  ///
  /// A damaged file is not used again: SQLite may continue to write around the damage, and the
  /// result could become unreadable.
  private func recordDamage(_ error: InstallationError) -> InstallationError {
    let classified = lock.classify(error, of: JournalFile(path: pool.path))
    if classified.cause == .damagedJournal { damage.withLock { $0 = $0 ?? classified } }
    return classified
  }

  private func refuseWithoutFile(_ verb: String) throws(InstallationError) {
    guard !lock.isIntact(pool.path) else { return }
    throw InstallationError(
      .journal,
      "cannot \(verb) the journal \(pool.path): it or its write-ahead file was removed,"
        + " or is another one now",
      class: .needsHuman,
      hint: "put the file back as it was; an engine that is started without it finds jobs at work"
        + " again by their folders, and begins with an empty queue and history")
  }

  /// The error that prevents all writes; nil if none is known without trying a write.
  package var fault: InstallationError? {
    if let damage = damage.withLock({ $0 }) { return damage }
    do throws(InstallationError) {
      try refuseWithoutFile("write to")
      return nil
    } catch {
      return error
    }
  }

  /// Runs `body` in one transaction, with the cached live jobs.
  ///
  /// Jobs that `body` leaves in `changed` are cached only after the commit.
  ///
  /// - Parameters:
  ///   - mayUseReserve: Whether the reserve may be released if the file system is full; only for
  ///     writes that end or stop work, or free space.
  ///   - body: Makes the writes; called a second time if the reserve was released.
  /// - Returns: What `body` returns.
  /// - Throws: `journal`, also after earlier damage and if the file was removed or replaced; the
  ///   errors of `body`.
  func write<Value: Sendable>(
    mayUseReserve: Bool = false,
    _ body: (Database, LiveJobs, inout [JobID: LiveJob]) throws -> Value
  ) throws(InstallationError) -> Value {
    do throws(InstallationError) {
      return try writeOnce(body)
    } catch {
      guard mayUseReserve, isDiskFull(error), reserve?.release() == true else { throw error }
      // Checkpoint early from now on, so that the released space lasts: at SQLite's default of
      // 1,000 pages the write-ahead file would be as large as the reserve
      // (https://www.sqlite.org/wal.html, 3.1).
      try? pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 64") }
      return try writeOnce(body)
    }
  }

  private func writeOnce<Value: Sendable>(
    _ body: (Database, LiveJobs, inout [JobID: LiveJob]) throws -> Value
  ) throws(InstallationError) -> Value {
    if let damage = damage.withLock({ $0 }) { throw damage }
    try refuseWithoutFile("write to")
    do throws(InstallationError) {
      return try journaled("write to", pool.path) {
        try live.withLock { live in
          var changed: [JobID: LiveJob] = [:]
          let (value, meta) = try pool.write { db in
            let value = try body(db, live, &changed)
            return (value, try MetaRow.load(db))
          }
          live.remember(changed)
          newest.store(meta.lastSeq, ordering: .releasing)
          mark.write(
            PositionFile.Position(epoch: epoch, lastSeq: meta.lastSeq, lastJob: meta.lastJob))
          return value
        }
      }
    } catch {
      throw recordDamage(error)
    }
  }
}

/// A job without plan and updates.
///
/// These have their own rows, so that an event of one package has the same cost for a job of any
/// size.
struct LiveJob: Sendable {
  var snapshot: JobSnapshot
  /// New statuses of packages in this transaction, by their index in the plan.
  var changedSteps: [Int: UpdateStatus] = [:]
  /// Number of requested updates.
  var updateCount: Int { snapshot.updateSteps.count }
}

/// A cache of running jobs, so that an event does not have to read its job.
struct LiveJobs: Sendable {
  // The queue may be long, but few jobs change at a time.
  private static let capacity = 64
  private var jobs: [JobID: LiveJob] = [:]

  subscript(_ id: JobID) -> LiveJob? { jobs[id] }

  mutating func remember(_ changed: [JobID: LiveJob]) {
    for (id, job) in changed { jobs[id] = job.snapshot.state.isFinal ? nil : job }
    if jobs.count > Self.capacity { jobs = [:] }
  }
}

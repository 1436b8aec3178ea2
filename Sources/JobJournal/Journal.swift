import FoundationEssentials
import GRDB
package import InstallJobs
import Synchronization

/// The engine's durable memory: every accepted job, every durable event, in one SQLite file.
///
/// WAL mode, `synchronous=FULL`, foreign keys on, one writer. What a call returned is on the disk.
/// Calls block until then and may come from any thread; writes are done one after the other. Reads
/// see the last committed state and do not wait for writes.
package final class Journal: Sendable {
  /// A random number in hexadecimal made with the file: event numbers mean something only within it.
  package let epoch: String

  let pool: any DatabaseWriter
  /// Room that is given up when the journal cannot be written otherwise; nil for none.
  package let reserve: RoomReserve?
  private let lock: JournalLock
  let live = Mutex<LiveJobs>(LiveJobs())
  private let newest: Atomic<Int>
  /// The damage that was met; from then on nothing is written any more.
  private let damage = Mutex<InstallationError?>(nil)
  let auditRetention: AuditRetention
  private let mark: JournalMark
  /// What was missing when the file was opened, because its write-ahead file had vanished or because
  /// the file is an older copy; ``readmit(_:lastJob:notice:at:)`` makes it good.
  package let loss: JournalLoss?

  /// The number of the last durable event; 0 before the first.
  package var lastSeq: Int { newest.load(ordering: .acquiring) }

  private init(
    pool: any DatabaseWriter, lock: JournalLock, meta: MetaRow, retention: AuditRetention,
    reserve: RoomReserve?, mark: JournalMark, loss: JournalLoss?
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
  /// An existing folder is left as it is. Nothing is ever deleted, and a file that is refused has
  /// not been written to.
  ///
  /// - Parameters:
  ///   - path: The file's absolute path; its folder is created when only that is missing.
  ///   - auditRetention: How much of the record of acts is kept.
  ///   - reserve: Room that is given up when the journal cannot be written otherwise.
  /// - Returns: The journal, in the present schema.
  /// - Throws: `journal` when the folder or file is open to others or not ours, when the file is not a
  ///   journal, is damaged, or was written by a newer version; `busy` when another engine uses it.
  package static func open(
    at path: String, auditRetention: AuditRetention = AuditRetention(),
    reserve: RoomReserve? = nil
  ) throws(InstallationError) -> Journal {
    let file = JournalFile(path: path)
    let (isNew, lock) = try journaled("open", path) { try file.prepare() }
    do throws(InstallationError) {
      return try journaled("open", path) {
        let pool = try file.connect(isNew: isNew, reserve: reserve)
        // What a write-ahead file of later is compared with must not be in it alone.
        if isNew { try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) } }
        let mark = JournalMark(path: path + "-last")
        var meta = try pool.read { db in try MetaRow.load(db) }
        let loss = meta.loss(since: mark.position)
        // The numbers of its next events have been given before. Stored with the notice of the loss.
        if loss != nil { meta.epoch = JournalSchema.newEpoch() }
        return Journal(
          pool: pool, lock: lock, meta: meta, retention: auditRetention, reserve: reserve,
          mark: mark, loss: loss)
      }
    } catch {
      throw lock.classify(error, of: file)
    }
  }

  /// Writes what is in the write-ahead file back and closes the file; later calls throw `journal`.
  ///
  /// Not needed for durability.
  package func close() throws(InstallationError) {
    try journaled("close", pool.path) {
      // SQLite would do this at the last close, but that is a connection that only reads.
      try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
      try pool.close()
      lock.release()
      // What the closed files have given back is there for the next engine to open them with.
      reserve?.make()
    }
  }

  /// Reads every page and compares the indexes, as opening does; about a second for each gigabyte.
  ///
  /// - Throws: `journal` with the first fault found.
  package func verify() throws(InstallationError) {
    try refuseWithoutFile("read")
    try read { db in try JournalFile.check(db, self.pool.path) }
  }

  /// Looks at the journal at `path` as ``verify()`` does, without an engine and changing nothing.
  ///
  /// - Parameter path: The file's absolute path.
  /// - Returns: How many jobs are not over; nil where there is no journal with anything in it.
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

  /// Distinguishes damage from a disk that does not read, and records damage for good.
  ///
  /// What has met damage once is not trusted again: SQLite may well go on writing around it, and
  /// nobody could read that later.
  private func recordDamage(_ error: InstallationError) -> InstallationError {
    let classified = lock.classify(error, of: JournalFile(path: pool.path))
    if classified.isDamage { damage.withLock { $0 = $0 ?? classified } }
    return classified
  }

  private func refuseWithoutFile(_ verb: String) throws(InstallationError) {
    guard !lock.holds(pool.path) else { return }
    throw InstallationError(
      .journal,
      "cannot \(verb) the journal \(pool.path): it or its write-ahead file was removed,"
        + " or is another one now",
      class: .needsHuman,
      hint: "put the file back as it was; an engine that is started without it finds jobs at work"
        + " again by their folders, and begins with an empty queue and history")
  }

  /// Why nothing can be written any more; nil as far as that is known without trying.
  package var fault: InstallationError? {
    if let damage = damage.withLock({ $0 }) { return damage }
    do throws(InstallationError) {
      try refuseWithoutFile("write to")
      return nil
    } catch {
      return error
    }
  }

  /// Runs `body` in one transaction, with the live jobs that are kept in memory.
  ///
  /// Jobs that `body` leaves in `changed` are remembered only once they are committed.
  ///
  /// - Parameters:
  ///   - mayUseReserve: Whether the reserve is given up where there is no room otherwise; only for
  ///     what ends or stops work, and what frees room.
  ///   - body: What is written; called a second time where the reserve was given up.
  /// - Returns: What `body` returns.
  /// - Throws: `journal`, also where damage was met before, and where the file is not there any more.
  func write<Value: Sendable>(
    mayUseReserve: Bool = false,
    _ body: (Database, LiveJobs, inout [JobID: LiveJob]) throws -> Value
  ) throws(InstallationError) -> Value {
    do throws(InstallationError) {
      return try writeOnce(body)
    } catch {
      guard mayUseReserve, lacksRoom(error), reserve?.giveUp() == true else { throw error }
      // The write-ahead file goes into the journal early from now on, so that the room lasts: at
      // SQLite's 1,000 pages it would be as large as the reserve (https://www.sqlite.org/wal.html, 3.1).
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
          mark.note(
            JournalMark.Position(epoch: epoch, lastSeq: meta.lastSeq, lastJob: meta.lastJob))
          return value
        }
      }
    } catch {
      throw recordDamage(error)
    }
  }
}

/// A job without plan and updates, which have rows of their own, so that an event of one package costs
/// the same whatever the size of its job.
struct LiveJob: Sendable {
  var snapshot: JobSnapshot
  /// What packages of the plan have become in this transaction, by their place in it.
  var changedSteps: [Int: UpdateStatus] = [:]
  /// How many updates were asked for.
  var updateCount: Int { snapshot.updateSteps.count }
}

/// Jobs that are at work, so that an event need not read its job back.
struct LiveJobs: Sendable {
  // A queue may be long, but few jobs move at a time.
  private static let capacity = 64
  private var jobs: [JobID: LiveJob] = [:]

  subscript(_ id: JobID) -> LiveJob? { jobs[id] }

  mutating func remember(_ changed: [JobID: LiveJob]) {
    for (id, job) in changed { jobs[id] = job.snapshot.state.isFinal ? nil : job }
    if jobs.count > Self.capacity { jobs = [:] }
  }
}

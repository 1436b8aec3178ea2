import FoundationEssentials
import GRDB
import Glibc
internal import HostSystem
import InstallJobs

/// The journal's file: its creation and its checks before SQLite uses it.
struct JournalFile: Sendable {
  let path: String

  /// Number and interval (microseconds) of attempts to lock a file whose engine is gone: 5 s in
  /// total.
  private static let (mostLooks, pause): (Int, UInt32) = (250, 20_000)

  var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Creates the missing file and folder, checks their owner and mode, and locks the file, without
  /// SQLite.
  ///
  /// - Returns: Whether the file is empty, and the lock.
  func prepare() throws -> (isNew: Bool, lock: JournalLock) {
    if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw refused("create the folder of") }
    var status = stat()
    guard unsafe stat(folder, &status) == 0 else { throw refused("open the folder of") }
    guard status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw refused(
        "use", "others may write to its folder \(folder)",
        hint: "give the folder to the engine's user and run chmod 700 on it")
    }
    if let created = Descriptor(opening: path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW) {
      _ = fsync(created.number)
      _ = RootFiles.flush(folder: folder)
    } else if errno != EEXIST {
      throw refused("create")
    }
    return try readHeader()
  }

  private func readHeader() throws -> (isNew: Bool, lock: JournalLock) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw refused("open") }
    let lock = JournalLock(descriptor: descriptor)
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw refused("open") }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw refused(
        "use", "it is not a file of the engine's user", hint: "move it away, or name another path")
    }
    // flock(2) is independent of SQLite's locks on Linux.
    try waitForLock(on: descriptor, of: status)
    guard unsafe fstat(descriptor, &status) == 0 else { throw refused("open") }
    if status.st_size == 0 {
      guard (walSize ?? 0) == 0 else {
        throw Self.damaged(path, "the file is empty but \(path)-wal is not")
      }
    } else {
      try checkHeader(descriptor)
    }
    if status.st_mode & 0o077 != 0, fchmod(descriptor, 0o600) != 0 { throw refused("protect") }
    return (status.st_size == 0, lock)
  }

  private func waitForLock(on descriptor: Int32, of status: stat) throws {
    var looks = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw refused("lock") }
      // A child that a killed engine has just forked keeps the lock until its exec. The kernel's
      // lock table names the engine as the holder, and no process once the engine is gone.
      if let holder = LockTable.holder(of: status) {
        throw InstallationError(
          .busy, "cannot use the journal \(path): another engine (pid \(holder)) is using it",
          hint: "stop the other engine, or name another path")
      }
      looks += 1
      guard looks < Self.mostLooks else {
        throw InstallationError(
          .busy,
          "cannot use the journal \(path): something that an engine has begun still holds it",
          hint: "'fuser \(path)' names it; try again when it is gone")
      }
      usleep(Self.pause)
    }
  }

  // The layout of https://www.sqlite.org/fileformat.html, 1.3.
  private func checkHeader(_ descriptor: Int32) throws {
    var header = [UInt8](repeating: 0, count: 100)
    let count = unsafe Glibc.pread(descriptor, &header, header.count, 0)
    guard count >= 0 else { throw Self.unreadable(path, errno) }
    guard count == header.count, header.starts(with: Array("SQLite format 3".utf8) + [0]) else {
      throw refused(
        "use", "it is not a database", hint: "move the file away; it has not been touched")
    }
    func number(at offset: Int) -> Int32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) }
    }
    try check(application: number(at: 68), version: number(at: 60))
  }

  private func check(application: Int32, version: Int32) throws {
    guard application == JournalSchema.applicationID || (application == 0 && version == 0) else {
      throw refused(
        "use", "it is the database of another program",
        hint: "move the file away; it has not been touched")
    }
    guard version <= JournalSchema.version else {
      throw refused(
        "use",
        "a newer version of the engine wrote it (schema \(version), this one knows"
          + " \(JournalSchema.version))",
        hint: "upgrade the engine; the file has not been touched")
    }
  }

  /// Checks an existing file without changing or locking it.
  ///
  /// - Returns: Number of unfinished jobs; nil if the file is empty.
  /// - Throws: `journal` with the first fault found, as ``Journal/verify()``.
  func inspect() throws -> Int? {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw refused("open") }
    defer { _ = Glibc.close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw refused("open") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw refused("use", "it is not a file", hint: "move it away, or name another path")
    }
    guard status.st_size > 0 else { return nil }
    try checkHeader(descriptor)
    do {
      return try journaled("read", path) { try inspectDatabase() }
    } catch {
      throw classify(error, through: descriptor)
    }
  }

  /// Checks an existing file with SQLite without changing it.
  ///
  /// - Returns: Number of unfinished jobs.
  @discardableResult
  func inspectDatabase() throws -> Int {
    var configuration = Configuration()
    // A writable connection would merge the write-ahead file when it closes. A read-only connection
    // would leave a new write-ahead file behind if there was none.
    configuration.readonly = walSize != nil
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let open = try queue.inDatabase { db in
      let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let version = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      try check(application: application, version: version)
      if version == 0 {
        let sql = "SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'grdb%'"
        guard try Int.fetchOne(db, sql: sql) == 0 else {
          throw refused(
            "use", "it is the database of another program",
            hint: "move the file away; it has not been touched")
        }
        return 0
      }
      // Checked before the first write, which would damage a damaged file further.
      try Self.check(db, path)
      let lastSeq = try MetaRow.load(db).lastSeq
      let stored = try Int.fetchOne(db, sql: "SELECT max(seq) FROM events") ?? 0
      guard stored <= lastSeq else {
        throw Self.damaged(path, "event \(stored) is numbered beyond the last, \(lastSeq)")
      }
      return try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs WHERE isFinal = 0") ?? 0
    }
    try queue.close()
    return open
  }

  /// Opens the database of a prepared file, migrated to the current schema.
  ///
  /// On a full file system, SQLite cannot create the files that connections share. The database
  /// then has a single connection, and reads and writes wait for each other.
  ///
  /// - Parameters:
  ///   - isNew: Whether the file is empty.
  ///   - reserve: Detects a full file system; nil to ignore it.
  /// - Returns: The database.
  /// - Throws: `DatabaseError`; the errors of ``inspectDatabase()``.
  func connect(isNew: Bool, reserve: SpaceReserve?) throws -> any DatabaseWriter {
    do {
      if !isNew { try inspectDatabase() }
      // Possible only before the first table exists; for older files see `JournalRetention`.
      if isNew { try Self.setIncrementalVacuum(at: path) }
      let pool = try DatabasePool(path: path, configuration: Self.configuration)
      try JournalSchema.migrate(pool)
      // The pool sets NORMAL when it enables WAL, with which a power failure could lose a committed
      // event.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      return pool
    } catch let error as DatabaseError where !isNew && error.mayLackRoom {
      guard reserve?.isDiskFull == true else { throw error }
      return try connectWithoutRoom()
    }
  }

  private func connectWithoutRoom() throws -> DatabaseQueue {
    var configuration = Self.configuration
    // With this mode, the index of the write-ahead file is in memory
    // (https://www.sqlite.org/wal.html, 8).
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
      try db.execute(sql: "PRAGMA synchronous = FULL")
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { db in try Self.check(db, path) }
    try JournalSchema.migrate(queue)
    return queue
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "journal"
    configuration.maximumReaderCount = 2
    configuration.busyMode = .timeout(5)
    // SQLite's default of 2 MB for each of three connections would fill over hours with pages of
    // ended jobs.
    configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA cache_size = -512") }
    return configuration
  }

  /// Enables incremental vacuum in a file without tables.
  static func setIncrementalVacuum(at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
      // The setting is stored only by a write.
      try db.execute(sql: "VACUUM")
    }
    try queue.close()
  }

  /// Checks every page and the indexes.
  ///
  /// Takes about a second per gigabyte.
  ///
  /// - Throws: `journal` with the first fault found.
  static func check(_ db: Database, _ path: String) throws {
    let answer = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
    guard answer != "ok" else { return }
    guard !isReadError(answer) else {
      throw DatabaseError(resultCode: .SQLITE_IOERR, message: answer)
    }
    throw damaged(path, answer)
  }

  /// Whether a check failed because of a disk read error.
  ///
  /// The page itself may be intact. SQLite then reports error code 10 (SQLITE_IOERR), with details
  /// in the upper bits.
  private static func isReadError(_ answer: String) -> Bool {
    guard let words = answer.firstRange(of: "error code") else { return false }
    let digits = answer[words.upperBound...].drop { !$0.isNumber }.prefix { $0.isNumber }
    return Int(digits).map { $0 & 0xFF == 10 } ?? false
  }

  /// Size of the write-ahead file in bytes; nil if there is none.
  ///
  /// Links are not followed, as in SQLite.
  private var walSize: Int? {
    var status = stat()
    return unsafe lstat(path + "-wal", &status) == 0 ? Int(status.st_size) : nil
  }

  private func refused(_ verb: String) -> InstallationError {
    let number = errno
    switch number {
    case ENOSPC, EDQUOT:
      var error = refused(verb, InstallationError.isFull, hint: InstallationError.freeSpace)
      error.cause = .fullDisk
      return error
    case EIO:
      return refused(
        verb, unsafe String(cString: strerror(number)), hint: InstallationError.checkDisk)
    default:
      return refused(
        verb, unsafe String(cString: strerror(number)),
        hint: "check owner and mode of the file and its folder")
    }
  }

  private func refused(_ verb: String, _ reason: String, hint: String) -> InstallationError {
    InstallationError(.journal, "cannot \(verb) the journal \(path): \(reason)", hint: hint)
  }

  static func damaged(_ path: String, _ reason: String) -> InstallationError {
    var error = InstallationError(
      .journal, "cannot use the journal \(path): it is damaged", class: .fatal, detail: reason,
      hint: JournalFile.damageHint)
    error.cause = .damagedJournal
    return error
  }

  /// The hint for a damaged file.
  ///
  /// The engine then restores running jobs from their folders.
  static let damageHint =
    "stop the engine, move journal.sqlite with its -wal and -shm to a safe place, and start the"
    + " engine: it finds jobs at work again by their folders; queue and history begin anew"
}

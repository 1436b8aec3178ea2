import GRDB
import InstallJobs

/// The tables of the journal, and the migrations of older files.
enum JournalSchema {
  /// "Fttl" in the file's header, which distinguishes a journal from other SQLite files.
  static let applicationID: Int32 = 0x4674_746C
  /// The number of the last migration, also in the file's header.
  static let version: Int32 = 6

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      try db.execute(sql: tables)
      try db.execute(
        sql: "INSERT INTO meta (id, epoch, lastSeq, lastJob) VALUES (1, ?, 0, 0)",
        arguments: [newEpoch()])
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      try db.execute(sql: "PRAGMA user_version = 1")
    }
    migrator.registerMigration("2") { db in
      try db.execute(
        sql: """
          CREATE TABLE awaitingReboot (
            job INTEGER PRIMARY KEY REFERENCES jobs (id),
            boot TEXT NOT NULL
          ) STRICT
          """)
      try db.execute(sql: "PRAGMA user_version = 2")
    }
    migrator.registerMigration("3") { db in
      try db.execute(
        sql: """
          CREATE TABLE queue (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            pause BLOB NOT NULL
          ) STRICT
          """)
      try db.execute(sql: "PRAGMA user_version = 3")
    }
    migrator.registerMigration("4") { db in
      try db.execute(sql: retries)
      try db.execute(sql: "PRAGMA user_version = 4")
    }
    migrator.registerMigration("5") { db in
      try db.execute(sql: auditSubjects)
      try db.execute(sql: "PRAGMA user_version = 5")
    }
    migrator.registerMigration("6") { db in
      try db.execute(sql: "ALTER TABLE meta ADD COLUMN keptAfter INTEGER NOT NULL DEFAULT 0")
      try db.execute(sql: "PRAGMA user_version = 6")
    }
    return migrator
  }

  static func migrate(_ pool: some DatabaseWriter) throws {
    let migrator = migrator
    guard try !pool.read(migrator.hasCompletedMigrations) else { return }
    try migrator.migrate(pool)
    // The checkpoint writes the version to the main file, where it is read before SQLite opens the
    // file.
    try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
  }

  static func newEpoch() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(UInt32.random(in: 0...UInt32.max, using: &random), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  // Only snapshots that contain `"retryOf":` are parsed, and a damaged snapshot is skipped here and
  // reported when its job is read. The text can only be an option, because quotes within strings
  // are escaped.
  private static let retries = """
    ALTER TABLE jobs ADD COLUMN retryOf INTEGER;
    UPDATE jobs SET retryOf = json_extract(CAST(snapshot AS TEXT), '$.options.retryOf')
      WHERE CASE
        WHEN instr(snapshot, CAST('"retryOf":' AS BLOB)) = 0 THEN FALSE
        WHEN json_valid(CAST(snapshot AS TEXT))
          THEN json_type(CAST(snapshot AS TEXT), '$.options.retryOf') = 'integer'
        ELSE FALSE
      END;
    CREATE INDEX jobsRetrying ON jobs (retryOf, id) WHERE retryOf IS NOT NULL;
    """

  // Kinds: 0 for acts, 1 for refusals of users who may act, 2 for refusals of other users. In older
  // rows, a `notPermitted` refusal becomes kind 2.
  private static let auditSubjects = """
    ALTER TABLE audit ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE audit ADD COLUMN subject BLOB;
    ALTER TABLE audit ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
    UPDATE audit SET kind = CASE outcome WHEN 'permitted' THEN 0 WHEN 'notPermitted' THEN 2 ELSE 1 END;
    CREATE INDEX auditOfKind ON audit (kind, id);
    """

  // Text that may come from outside is TEXT, or BLOB if it contains a NUL (see `StoredText`). JSON
  // is a BLOB of UTF-8. Times are milliseconds since 1970.
  private static let tables = """
    CREATE TABLE meta (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      epoch TEXT NOT NULL,
      lastSeq INTEGER NOT NULL,
      lastJob INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE jobs (
      id INTEGER PRIMARY KEY,
      token ANY UNIQUE,
      state TEXT NOT NULL,
      isFinal INTEGER NOT NULL,
      isCleanedUp INTEGER NOT NULL,
      result INTEGER NOT NULL,
      user ANY NOT NULL,
      submittedAt INTEGER NOT NULL,
      endedAt INTEGER,
      snapshot BLOB NOT NULL
    ) STRICT;
    CREATE INDEX jobsKept ON jobs (id) WHERE isCleanedUp = 0;
    CREATE INDEX jobsLive ON jobs (id) WHERE isFinal = 0;
    CREATE INDEX jobsByState ON jobs (state, id);
    CREATE INDEX history ON jobs (endedAt, id) WHERE isFinal = 1;
    CREATE INDEX historyOfUser ON jobs (user, endedAt, id) WHERE isFinal = 1;
    CREATE INDEX historyOfResult ON jobs (result, endedAt, id) WHERE isFinal = 1;
    CREATE TABLE plans (
      job INTEGER PRIMARY KEY REFERENCES jobs (id),
      request BLOB NOT NULL,
      plan BLOB NOT NULL
    ) STRICT;
    CREATE TABLE steps (
      job INTEGER NOT NULL REFERENCES jobs (id),
      position INTEGER NOT NULL,
      name ANY NOT NULL,
      status BLOB NOT NULL,
      PRIMARY KEY (job, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX stepsByName ON steps (name);
    CREATE TABLE updates (
      job INTEGER NOT NULL REFERENCES jobs (id),
      position INTEGER NOT NULL,
      name ANY NOT NULL,
      step INTEGER,
      status BLOB,
      PRIMARY KEY (job, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX updatesByName ON updates (name);
    CREATE TABLE events (
      seq INTEGER PRIMARY KEY,
      job INTEGER REFERENCES jobs (id),
      event BLOB NOT NULL
    ) STRICT;
    CREATE INDEX eventsOfJob ON events (job, seq) WHERE job IS NOT NULL;
    CREATE TABLE offsets (
      job INTEGER NOT NULL REFERENCES jobs (id),
      file ANY NOT NULL,
      offset INTEGER NOT NULL,
      PRIMARY KEY (job, file)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE audit (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      uid INTEGER NOT NULL,
      user ANY NOT NULL,
      pid INTEGER,
      command ANY,
      act ANY NOT NULL,
      job INTEGER,
      outcome ANY NOT NULL
    ) STRICT;
    CREATE INDEX auditOfJob ON audit (job) WHERE job IS NOT NULL;
    CREATE TABLE durations (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      package ANY NOT NULL,
      version ANY NOT NULL,
      stage ANY NOT NULL,
      seconds REAL NOT NULL,
      bytes INTEGER NOT NULL,
      host ANY NOT NULL
    ) STRICT;
    CREATE INDEX durationsOfPackage ON durations (package, stage, id);
    CREATE INDEX durationsOfStage ON durations (stage, id);
    """
}

/// The single row of counters.
struct MetaRow: Sendable {
  var epoch: String
  var lastSeq: Int
  var lastJob: Int

  static func load(_ db: Database) throws -> MetaRow {
    let statement = try db.cachedStatement(sql: "SELECT epoch, lastSeq, lastJob FROM meta")
    guard let row = try Row.fetchOne(statement) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the counters are missing")
    }
    let meta = MetaRow(
      epoch: try row.value(0), lastSeq: try row.value(1), lastJob: try row.value(2))
    // A counter above 2^53, the largest exact integer in JSON, must be damage.
    guard (0...1 << 53).contains(meta.lastSeq), (0...1 << 53).contains(meta.lastJob) else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the counters are out of range")
    }
    return meta
  }

  func save(_ db: Database) throws {
    try db.cachedStatement(sql: "UPDATE meta SET lastSeq = ?, lastJob = ?")
      .execute(arguments: [lastSeq, lastJob])
  }

  /// The loss since the position in the mark file; nil if nothing is missing.
  func loss(since noted: PositionFile.Position?) -> JournalLoss? {
    guard let noted, noted.epoch == epoch, noted.lastSeq > lastSeq || noted.lastJob > lastJob
    else { return nil }
    return JournalLoss(
      events: max(0, noted.lastSeq - lastSeq),
      jobs: noted.lastJob > lastJob ? lastJob + 1...noted.lastJob : nil)
  }
}

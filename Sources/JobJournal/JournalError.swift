import FoundationEssentials
import GRDB
package import InstallJobs

/// Runs `body` and converts the errors of SQLite and of the codec to an `InstallationError` with a
/// hint.
func journaled<Value>(
  _ verb: String, _ path: String, _ body: () throws -> Value
) throws(InstallationError) -> Value {
  do {
    return try body()
  } catch let error as InstallationError {
    throw error
  } catch let error as DatabaseError {
    throw InstallationError(error, verb: verb, path: path)
  } catch is RowDecodingError {
    throw JournalFile.damaged(path, "a column has another kind of value")
  } catch let error as DecodingError {
    throw InstallationError(
      .journal, "cannot \(verb) the journal \(path): an entry has an unknown form",
      class: .fatal, detail: String(describing: error),
      hint: "use the version of the engine that wrote it, and keep the file")
  } catch let error as EncodingError {
    throw InstallationError(
      .internal, "cannot \(verb) the journal \(path): a value has no stored form",
      class: .fatal, detail: String(describing: error), hint: "report this as a fault")
  } catch {
    throw InstallationError(
      .journal, "cannot \(verb) the journal \(path): \(error)", hint: "look at the file's folder")
  }
}

extension InstallationError {
  /// The hint for a full file system.
  static let freeSpace = "free some space and try again: 'df -h' and 'df -i' show what is used up"

  /// The reason for a full file system.
  static let isFull = "the file system is full"

  /// The hint for a disk error.
  static let checkDisk = "check the disk and the kernel's log"

  fileprivate init(_ error: DatabaseError, verb: String, path: String) {
    let (kind, reason, hint, cause): (Class, String, String, Cause?) =
      switch error.resultCode {
      case .SQLITE_FULL:
        (.needsHuman, Self.isFull, Self.freeSpace, .fullDisk)
      // SQLite reports this also if it cannot create a file beside the journal.
      case .SQLITE_CANTOPEN where SpaceReserve.isFull(JournalFile(path: path).folder):
        (.needsHuman, Self.isFull, Self.freeSpace, .fullDisk)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        (.fatal, "it is damaged", JournalFile.damageHint, .damagedJournal)
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        (
          .transient, "another process is using it",
          "let it end, then try again: 'fuser \(path)' names it, beside the engine", nil
        )
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        (
          .needsHuman, "it may not be written", "check owner and mode of the file and its folder",
          nil
        )
      case .SQLITE_IOERR:
        (.needsHuman, "the disk reports an error", Self.checkDisk, nil)
      default: (.fatal, "SQLite refuses", "report this as a fault", nil)
      }
    // The statement and its arguments are left out, because they contain untrusted text.
    self.init(
      .journal, "cannot \(verb) the journal \(path): \(reason)", class: kind,
      detail: "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")",
      hint: hint)
    self.cause = cause
  }
}

extension DatabaseError {
  /// Whether a full file system may be the cause.
  ///
  /// SQLite reports SQLITE_FULL only for the database file itself.
  var mayLackRoom: Bool {
    [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(resultCode)
  }
}

extension Journal {
  /// Whether a write failed because the file system is full.
  package func isDiskFull(_ error: InstallationError) -> Bool {
    guard error.code == .journal else { return false }
    return error.cause == .fullDisk || reserve?.isDiskFull == true
  }
}

import FoundationEssentials
import GRDB
package import InstallJobs

/// Runs `body` and turns what SQLite and the codec throw into an error with a next step.
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
  /// Whether it says that a journal's content cannot be trusted.
  var isDamage: Bool { code == .journal && hint == JournalFile.wayOut }

  /// The next step where a file system is full.
  static let freeSpace = "free some space and try again: 'df -h' and 'df -i' show what is used up"

  /// The reason where a file system has no room.
  static let isFull = "the file system is full"

  /// The next step where a disk cannot be read or written.
  static let checkDisk = "check the disk and the kernel's log"

  fileprivate init(_ error: DatabaseError, verb: String, path: String) {
    let (kind, reason, hint): (Class, String, String) =
      switch error.resultCode {
      case .SQLITE_FULL:
        (.needsHuman, Self.isFull, Self.freeSpace)
      // SQLite says the same where no file can be made beside the journal.
      case .SQLITE_CANTOPEN where RoomReserve.isFull(JournalFile(path: path).folder):
        (.needsHuman, Self.isFull, Self.freeSpace)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB:
        (.fatal, "it is damaged", JournalFile.wayOut)
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        (
          .transient, "another process is using it",
          "let it end, then try again: 'fuser \(path)' names it, beside the engine"
        )
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        (.needsHuman, "it may not be written", "check owner and mode of the file and its folder")
      case .SQLITE_IOERR:
        (.needsHuman, "the disk reports an error", Self.checkDisk)
      default: (.fatal, "SQLite refuses", "report this as a fault")
      }
    // Never the statement or its arguments: they hold text from outside.
    self.init(
      .journal, "cannot \(verb) the journal \(path): \(reason)", class: kind,
      detail: "SQLite \(error.extendedResultCode.rawValue): \(error.message ?? "no message")",
      hint: hint)
  }
}

extension DatabaseError {
  /// Whether the reason may be that the file system is full: SQLite says so only of the database itself.
  var mayLackRoom: Bool {
    [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN].contains(resultCode)
  }
}

extension Journal {
  /// Whether a write was refused because the file system is full.
  package func lacksRoom(_ error: InstallationError) -> Bool {
    guard error.code == .journal else { return false }
    return error.hint == InstallationError.freeSpace || reserve?.isShort == true
  }
}

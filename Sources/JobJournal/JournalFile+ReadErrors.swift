import Glibc
import InstallJobs

extension JournalFile {
  /// Distinguishes damage from a disk read error: SQLite reports an unreadable page as damage
  /// (sqlite3VdbeExec turns SQLITE_IOERR_CORRUPTFS into SQLITE_CORRUPT).
  ///
  /// - Parameters:
  ///   - error: The error of SQLite.
  ///   - descriptor: The open file. A descriptor opened and closed here would release SQLite's
  ///     locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
  /// - Returns: The disk error, if `error` is damage and the file cannot be read to its end;
  ///   otherwise `error`.
  func classify(_ error: InstallationError, through descriptor: Int32) -> InstallationError {
    guard error.cause == .damagedJournal else { return error }
    if let number = Self.readError(descriptor) { return Self.unreadable(path, number) }
    // SQLite places no locks on the write-ahead file.
    let companion = unsafe Glibc.open(path + "-wal", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard companion >= 0 else { return error }
    defer { _ = Glibc.close(companion) }
    return Self.readError(companion).map { Self.unreadable(path + "-wal", $0) } ?? error
  }

  /// The `errno` of reading a file to its end; nil if it can be read.
  private static func readError(_ descriptor: Int32) -> Int32? {
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: off_t = 0
    while true {
      let count = unsafe Glibc.pread(descriptor, &chunk, chunk.count, offset)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      guard count > 0 else { return nil }
      offset += off_t(count)
    }
  }

  static func unreadable(_ path: String, _ number: Int32) -> InstallationError {
    let reason = unsafe String(cString: strerror(number))
    return InstallationError(
      .journal, "cannot read the journal \(path): the disk reports an error", class: .needsHuman,
      detail: reason, hint: InstallationError.checkDisk)
  }
}

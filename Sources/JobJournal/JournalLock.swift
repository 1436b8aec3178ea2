import Glibc
import InstallJobs
import Synchronization

/// The lock that excludes other engines from the journal until it is released or the process ends.
final class JournalLock: Sendable {
  private let descriptor: Mutex<Int32?>
  /// The identity of the write-ahead file.
  ///
  /// SQLite keeps this file as long as the journal is open in any process.
  private let companion = Mutex<FileIdentity?>(nil)

  init(descriptor: Int32) { self.descriptor = Mutex(descriptor) }

  deinit { release() }

  /// Whether the files at `path` are still the journal and write-ahead file that were opened.
  ///
  /// Data written to removed or replaced files is lost when the process ends.
  func isIntact(_ path: String) -> Bool {
    let isSame = descriptor.withLock { descriptor in
      guard let descriptor, let there = FileIdentity(path) else { return false }
      return FileIdentity(descriptor) == there
    }
    guard isSame else { return false }
    let present = FileIdentity(path + "-wal")
    return companion.withLock { known in
      if known == nil { known = present }
      return known == present
    }
  }

  /// Distinguishes damage from a disk read error; see ``JournalFile/classify(_:through:)``.
  func classify(_ error: InstallationError, of file: JournalFile) -> InstallationError {
    descriptor.withLock { $0.map { file.classify(error, through: $0) } } ?? error
  }

  func release() {
    descriptor.withLock { descriptor in
      if let open = descriptor {
        // A child between fork and exec has the descriptor too, so that closing it here would not
        // release the lock.
        _ = flock(open, LOCK_UN)
        _ = Glibc.close(open)
      }
      descriptor = nil
    }
  }
}

/// The identity of a file, independent of its name.
private struct FileIdentity: Sendable, Hashable {
  private var device: UInt64
  private var inode: UInt64

  init?(_ path: String) {
    var record = stat()
    guard unsafe lstat(path, &record) == 0 else { return nil }
    self.init(record)
  }

  init?(_ descriptor: Int32) {
    var record = stat()
    guard unsafe fstat(descriptor, &record) == 0 else { return nil }
    self.init(record)
  }

  private init(_ record: stat) {
    (device, inode) = (UInt64(record.st_dev), UInt64(record.st_ino))
  }
}

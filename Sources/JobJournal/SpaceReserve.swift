internal import Glibc
internal import HostSystem
import Synchronization

/// Disk space reserved on the journal's file system while there is enough.
///
/// It is released when the journal cannot be written otherwise, so that the ends of jobs and writes
/// that free space can be recorded on a full file system. It consists of blocks and a few files,
/// because a file system can run out of blocks or of inodes.
///
/// Calls may block on the disk, like the calls of ``Journal``.
package final class SpaceReserve: Sendable {
  /// Largest number of reserved bytes, for file systems with at least twice as many free.
  package static let mostBytes: Int64 = 4 << 20
  /// Smallest number of reserved bytes.
  ///
  /// A file system with fewer free bytes counts as full.
  package static let leastBytes: Int64 = 256 << 10
  /// Largest number of reserved files, for file systems with at least twice as many free inodes.
  private static let mostFiles = 8
  private static let leastFiles = 2

  /// The folder that holds the reserve, inside the state folder.
  package let folder: String
  private let held: Atomic<Bool>
  /// Number of bytes reserved last; nil before the first time.
  ///
  /// Locked while files are created or removed.
  private let lastBytes: Mutex<Int64?>

  /// A reserve in a folder; includes the files that an earlier engine left there.
  package init(folder: String) {
    self.folder = folder
    let present = Self.blockBytes(in: folder)
    held = Atomic(present > 0)
    lastBytes = Mutex(present > 0 ? present : nil)
  }

  /// Whether space is reserved; does not access the disk.
  package var isHeld: Bool { held.load(ordering: .acquiring) }

  /// Whether the file system has almost no free space.
  package var isDiskFull: Bool {
    guard let room = room() else { return false }
    return room.bytes < Self.leastBytes || room.files < Self.leastFiles
  }

  /// Reserves space: the first time half of the free space, at most ``mostBytes``; later the same
  /// amount, once 1 MiB more than that is free.
  ///
  /// The amount is not computed again after a release: it would become smaller each time.
  ///
  /// - Returns: Whether space is reserved now.
  @discardableResult
  package func make() -> Bool {
    lastBytes.withLock { last in
      guard let room = room() else { return isHeld }
      let present = Self.blockBytes(in: folder)
      let available = room.bytes + present
      let bytes = last ?? min(Self.mostBytes, available / 2) / 4096 * 4096
      guard last == nil || available >= bytes + Self.leastBytes * 4 else { return isHeld }
      let files = min(Self.mostFiles, room.files / 2)
      guard bytes >= Self.leastBytes, files >= Self.leastFiles else { return isHeld }
      if isHeld, present >= bytes { return true }
      let isMade = make(bytes, files)
      if isMade { last = bytes }
      held.store(isMade, ordering: .releasing)
      return isMade
    }
  }

  /// Releases the reserved space.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  package func release() -> Bool {
    lastBytes.withLock { _ in
      held.store(false, ordering: .releasing)
      return Self.open(folder).map { Self.remove(in: $0) } ?? false
    }
  }

  private func make(_ bytes: Int64, _ files: Int) -> Bool {
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST,
      let place = Self.open(folder)
    else { return false }
    // Create new files only: an existing file of the same name may be a hard link to another file.
    Self.remove(in: place)
    let isMade =
      (1...files).allSatisfy { Self.makeFile("file-\($0)", in: place, bytes: 0) }
      && Self.makeFile("blocks", in: place, bytes: bytes)
    if !isMade { Self.remove(in: place) }
    return isMade
  }

  private static func makeFile(_ name: String, in place: Descriptor, bytes: Int64) -> Bool {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    guard let file = Descriptor(unsafe openat(place.number, name, flags, 0o600)) else {
      return false
    }
    return bytes == 0 || posix_fallocate(file.number, 0, off_t(bytes)) == 0
  }

  @discardableResult
  private static func remove(in place: Descriptor) -> Bool {
    var isAny = false
    for name in ["blocks"] + (1...mostFiles).map({ "file-\($0)" }) {
      if unsafe unlinkat(place.number, name, 0) == 0 { isAny = true }
    }
    return isAny
  }

  /// Opens the folder; nil if it is a link, has another owner, or is writable by others.
  private static func open(_ folder: String) -> Descriptor? {
    var record = stat()
    guard
      let place = Descriptor(opening: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW),
      unsafe fstat(place.number, &record) == 0, record.st_uid == geteuid(),
      record.st_mode & 0o022 == 0
    else { return nil }
    return place
  }

  private static func blockBytes(in folder: String) -> Int64 {
    var record = stat()
    guard let place = open(folder),
      unsafe fstatat(place.number, "blocks", &record, AT_SYMLINK_NOFOLLOW) == 0
    else { return 0 }
    return Int64(record.st_blocks) * 512
  }

  /// Whether the file system of a folder has no free inode or less than one free block of 4,096
  /// bytes.
  static func isFull(_ folder: String) -> Bool {
    guard let room = room(on: folder) else { return false }
    return room.bytes < 4096 || room.files < 1
  }

  private func room() -> (bytes: Int64, files: Int)? {
    folder.lastIndex(of: "/").flatMap { Self.room(on: String(folder[..<$0])) }
  }

  /// Free bytes and inodes for this user; nil if the file system does not report them.
  private static func room(on folder: String) -> (bytes: Int64, files: Int)? {
    var record = statvfs()
    guard unsafe statvfs(folder, &record) == 0 else { return nil }
    let blocks = geteuid() == 0 ? record.f_bfree : record.f_bavail
    // Some file systems create inodes on demand and report 0.
    let files = record.f_files == 0 ? .max : Int(clamping: UInt64(record.f_favail))
    return (Int64(clamping: UInt64(blocks) &* UInt64(record.f_frsize)), files)
  }
}

internal import Glibc
import Synchronization

/// Room on the journal's file system that is set aside while there is enough.
///
/// It is given up when the journal cannot be written otherwise, so that the ends of jobs and what
/// frees room can be recorded on a full file system. It has blocks of its own and a few files, because
/// a file system can run out of either.
///
/// Calls may wait for the disk, as those of ``Journal`` do.
package final class RoomReserve: Sendable {
  /// Bytes that are set aside where there are twice as many.
  package static let mostBytes: Int64 = 4 << 20
  /// Bytes below which nothing is set aside, and below which a file system counts as full.
  package static let leastBytes: Int64 = 256 << 10
  /// Files that are set aside where there is room for twice as many.
  private static let mostFiles = 8
  private static let leastFiles = 2

  /// The folder that holds the reserve, inside the state folder.
  package let folder: String
  private let held: Atomic<Bool>
  /// Bytes that were set aside last, nil before the first time; locked while files are made or removed.
  private let lastBytes: Mutex<Int64?>

  /// A reserve in a folder, as an earlier engine left it.
  package init(folder: String) {
    self.folder = folder
    let present = Self.blockBytes(in: folder)
    held = Atomic(present > 0)
    lastBytes = Mutex(present > 0 ? present : nil)
  }

  /// Whether room is set aside; known without the disk.
  package var isHeld: Bool { held.load(ordering: .acquiring) }

  /// Whether the file system has hardly any room left.
  package var isShort: Bool {
    guard let room = room() else { return false }
    return room.bytes < Self.leastBytes || room.files < Self.leastFiles
  }

  /// Sets room aside: at first half of what is free, at most ``mostBytes``; later as much as the first
  /// time, once there is more room than that.
  ///
  /// What was given up does not count as new room: the reserve would become smaller each time.
  ///
  /// - Returns: Whether room is set aside now.
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

  /// Gives the room up.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  package func giveUp() -> Bool {
    lastBytes.withLock { _ in
      held.store(false, ordering: .releasing)
      return Self.open(folder).map { Self.remove(in: $0) } ?? false
    }
  }

  private func make(_ bytes: Int64, _ files: Int) -> Bool {
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST,
      let place = Self.open(folder)
    else { return false }
    // Each file is a new one: what is there under its name may be a second name of another file.
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

  /// Opens the folder; nil where it is not one of this user's alone, or a link.
  private static func open(_ folder: String) -> Descriptor? {
    var record = stat()
    guard
      let place = Descriptor(
        unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)),
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

  /// Whether the file system of a folder has no room for one more file, or for one block.
  static func isFull(_ folder: String) -> Bool {
    guard let room = room(on: folder) else { return false }
    return room.bytes < 4096 || room.files < 1
  }

  private func room() -> (bytes: Int64, files: Int)? {
    folder.lastIndex(of: "/").flatMap { Self.room(on: String(folder[..<$0])) }
  }

  /// Free bytes and files for this user; nil where the file system does not say.
  private static func room(on folder: String) -> (bytes: Int64, files: Int)? {
    var record = statvfs()
    guard unsafe statvfs(folder, &record) == 0 else { return nil }
    let blocks = geteuid() == 0 ? record.f_bfree : record.f_bavail
    // Some file systems make files as they need them, and count none.
    let files = record.f_files == 0 ? .max : Int(clamping: UInt64(record.f_favail))
    return (Int64(clamping: UInt64(blocks) &* UInt64(record.f_frsize)), files)
  }
}

/// An open file, closed with its last use.
private final class Descriptor {
  let number: Int32

  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { _ = Glibc.close(number) }
}

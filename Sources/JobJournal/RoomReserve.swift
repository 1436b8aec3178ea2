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
  private let held: Mutex<Bool>
  /// Bytes that were set aside last; nil before the first time.
  private let lastBytes: Mutex<Int64?>

  /// A reserve in a folder, as an earlier engine left it.
  package init(folder: String) {
    self.folder = folder
    let present = Self.size(of: folder + "/blocks")
    held = Mutex(present > 0)
    lastBytes = Mutex(present > 0 ? present : nil)
  }

  /// Whether room is set aside.
  package var isHeld: Bool { held.withLock { $0 } }

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
    held.withLock { held in
      guard let room = room() else { return held }
      let present = Self.size(of: folder + "/blocks")
      let available = room.bytes + present
      let last = lastBytes.withLock { $0 }
      let bytes = last ?? min(Self.mostBytes, available / 2) / 4096 * 4096
      guard last == nil || available >= bytes + Self.leastBytes * 4 else { return held }
      let files = min(Self.mostFiles, room.files / 2)
      guard bytes >= Self.leastBytes, files >= Self.leastFiles else { return held }
      if held, present >= bytes { return true }
      held = makeFiles(files) && makeBlocks(bytes)
      if held { lastBytes.withLock { $0 = bytes } } else { remove() }
      return held
    }
  }

  /// Gives the room up.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  package func giveUp() -> Bool {
    held.withLock { held in
      defer { held = false }
      return remove()
    }
  }

  private func makeFiles(_ count: Int) -> Bool {
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { return false }
    for number in 1...count {
      let file = open("file-\(number)")
      guard file >= 0 else { return false }
      close(file)
    }
    return true
  }

  private func makeBlocks(_ bytes: Int64) -> Bool {
    let file = open("blocks")
    guard file >= 0 else { return false }
    defer { close(file) }
    return posix_fallocate(file, 0, off_t(bytes)) == 0
  }

  private func open(_ name: String) -> Int32 {
    unsafe Glibc.open(folder + "/" + name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
  }

  @discardableResult
  private func remove() -> Bool {
    var isAny = false
    for name in ["blocks"] + (1...Self.mostFiles).map({ "file-\($0)" }) {
      if unsafe unlink(folder + "/" + name) == 0 { isAny = true }
    }
    return isAny
  }

  private static func size(of path: String) -> Int64 {
    var record = stat()
    return unsafe lstat(path, &record) == 0 ? Int64(record.st_blocks) * 512 : 0
  }

  /// Free bytes and files for this user; nil where the file system does not say.
  private func room() -> (bytes: Int64, files: Int)? {
    var record = statvfs()
    guard let slash = folder.lastIndex(of: "/"),
      unsafe statvfs(String(folder[..<slash]), &record) == 0
    else { return nil }
    let blocks = geteuid() == 0 ? record.f_bfree : record.f_bavail
    // Some file systems make files as they need them, and count none.
    let files = record.f_files == 0 ? .max : Int(clamping: UInt64(record.f_favail))
    return (Int64(clamping: UInt64(blocks) &* UInt64(record.f_frsize)), files)
  }
}

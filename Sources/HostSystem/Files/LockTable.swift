package import Glibc

/// The kernel's table of the locks on files (proc_locks(5)).
package enum LockTable: Sendable {
  /// The living process that took a lock of flock(2) on a file.
  ///
  /// - Parameter status: The file's, of fstat(2).
  /// - Returns: Its number; nil where that cannot be told: the process has ended and left the lock to
  ///   others, this process cannot see it, or the file system has another device number in the table
  ///   than in fstat(2) (btrfs, some overlays).
  package static func holder(of status: stat) -> Int32? {
    // While others lock and unlock, a reader of the table may miss lines.
    for _ in 0..<10 {
      let table = text("/proc/locks")
      if let holder = holder(of: UInt64(status.st_ino), on: UInt64(status.st_dev), in: table) {
        return isAlive(holder) ? holder : nil
      }
    }
    return nil
  }

  /// The process that a table names for a file.
  ///
  /// - Parameters:
  ///   - inode: The file's number.
  ///   - device: The number of its device, as fstat(2) has it.
  ///   - table: The text of the table.
  /// - Returns: The process; nil where it is not named.
  package static func holder(of inode: UInt64, on device: UInt64, in table: String) -> Int32? {
    // The parts of the number as the C library takes it apart.
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & ~0xFF
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK", let process = Int32(fields[4]), process > 0
      else { continue }
      let file = fields[5].split(separator: ":")
      guard file.count == 3, UInt64(file[0], radix: 16) == major,
        UInt64(file[1], radix: 16) == minor, UInt64(file[2]) == inode
      else { continue }
      return process
    }
    return nil
  }

  /// Whether a process is there; one that has ended and was not waited for is not.
  private static func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno != ESRCH else { return false }
    // The name in parentheses may hold anything.
    let state = text("/proc/\(process)/stat").split(separator: ")").last?
      .split(separator: " ").first
    return state != "Z" && state != "X"
  }

  /// All of a file of the kernel's, which gives it in pieces; empty where it cannot be read.
  private static func text(_ path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: content, as: UTF8.self) }
      content += piece[..<count]
    }
  }
}

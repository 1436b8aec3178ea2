package import Glibc

/// The kernel's table of file locks (proc_locks(5)).
package enum LockTable: Sendable {
  /// Returns the running process that holds a flock(2) lock on a file.
  ///
  /// - Parameter status: The file's status from fstat(2).
  /// - Returns: The process number; nil when it is unknown: the process has ended and another
  ///   process inherited the lock, this process cannot see the holder, or the file system has
  ///   another device number in the table than in fstat(2) (btrfs, some overlays).
  package static func holder(of status: stat) -> Int32? {
    // A reader can miss lines of the table while other processes lock and unlock.
    for _ in 0..<10 {
      let table = text("/proc/locks")
      if let holder = holder(of: UInt64(status.st_ino), on: UInt64(status.st_dev), in: table) {
        return isAlive(holder) ? holder : nil
      }
    }
    return nil
  }

  /// Returns the process that a table names for a file.
  ///
  /// - Parameters:
  ///   - inode: The file's inode number.
  ///   - device: The file's device number from fstat(2).
  ///   - table: The text of the table.
  /// - Returns: The process number; nil when the table names none.
  package static func holder(of inode: UInt64, on device: UInt64, in table: String) -> Int32? {
    // Major and minor number, as major(3) and minor(3) compute them.
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

  /// Returns whether a process is running; false for a zombie.
  private static func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno != ESRCH else { return false }
    // The program's name in parentheses may contain any character.
    let state = text("/proc/\(process)/stat").split(separator: ")").last?
      .split(separator: " ").first
    return state != "Z" && state != "X"
  }

  /// Returns the text of a file in /proc; empty when it cannot be read.
  private static func text(_ path: String) -> String {
    RootFiles.text(of: path, limit: 1 << 24) ?? ""
  }
}

internal import Glibc

/// The kernel's table of the locks on files (proc_locks(5)).
enum LockTable: Sendable {
  /// The process that has taken a lock of flock(2) on a file; nil when it is not to be seen from here.
  static func holder(of status: stat) -> Int32? {
    // While others lock and unlock, a reader of the table may miss lines.
    for _ in 0..<10 {
      for line in text("/proc/locks").split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count > 5, fields[1] == "FLOCK",
          fields[5].split(separator: ":").last.flatMap({ UInt64($0) }) == UInt64(status.st_ino)
        else { continue }
        return Int32(fields[4])
      }
    }
    return nil
  }

  /// Whether a process is there; one that has ended and was not waited for is not.
  static func isAlive(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 || errno != ESRCH else { return false }
    // The name in parentheses may hold anything.
    let state = text("/proc/\(process)/stat").split(separator: ")").last?
      .split(separator: " ").first
    return state != "Z" && state != "X"
  }

  /// All of a file of the kernel's, which gives it in pieces; empty where it cannot be read.
  ///
  /// Foundation takes the first piece for the whole.
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

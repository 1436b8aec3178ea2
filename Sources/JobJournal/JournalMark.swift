import Glibc
internal import InstallJobs
import Synchronization

/// How far the journal has come, noted beside it after each commit.
///
/// SQLite takes a write-ahead file that has vanished for one that was never there, and the commits in
/// it are gone without a word. This file says that there were some. It is a help and no part of the
/// journal: where it is missing or cannot be read, nothing is said.
final class JournalMark: Sendable {
  /// What is noted.
  struct Position: Sendable, Hashable {
    var epoch: String
    var lastSeq: Int
    var lastJob: Int
  }

  private let descriptor: Mutex<Int32?>

  /// Opens the file, and makes it where it is missing.
  init(path: String) {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let opened = unsafe Glibc.open(path, flags, 0o600)
    var status = stat()
    let isKnown = unsafe fstat(opened, &status) == 0
    let isUsable =
      isKnown && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
      && status.st_nlink == 1
    if opened >= 0, !isUsable { _ = Glibc.close(opened) }
    descriptor = Mutex(isUsable ? opened : nil)
  }

  deinit {
    descriptor.withLock { descriptor in
      if let open = descriptor { _ = Glibc.close(open) }
      descriptor = nil
    }
  }

  /// What was noted last; nil where that cannot be read.
  var position: Position? {
    descriptor.withLock { descriptor in
      guard let descriptor else { return nil }
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
      }
      guard count > 0, let end = bytes[..<count].firstIndex(of: 0x0A) else { return nil }
      let fields = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
      guard fields.count == 3, let seq = Int(fields[1]), let job = Int(fields[2]),
        (0...1 << 53).contains(seq), (0...1 << 53).contains(job)
      else { return nil }
      return Position(epoch: String(fields[0]), lastSeq: seq, lastJob: job)
    }
  }

  /// Notes what is committed; always as many bytes for one epoch, so that nothing of before is left.
  func note(_ position: Position) {
    func padded(_ number: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, 17 - digits.utf8.count)) + digits
    }
    let line = "\(position.epoch) \(padded(position.lastSeq)) \(padded(position.lastJob))\n"
    descriptor.withLock { descriptor in
      guard let descriptor else { return }
      let bytes = Array(line.utf8)
      unsafe bytes.withUnsafeBytes { buffer in
        _ = unsafe pwrite(descriptor, buffer.baseAddress, buffer.count, 0)
      }
    }
  }
}

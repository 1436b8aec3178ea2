import Glibc
internal import InstallJobs
import Synchronization

/// A small file beside the journal with its last event and job numbers, written after each commit.
///
/// If the write-ahead file vanishes, SQLite opens the journal without an error and without the
/// commits in that file. This file reveals the loss. It is not part of the journal: if it is
/// missing or unreadable, no loss is reported.
final class PositionFile: Sendable {
  /// The content of the file.
  struct Position: Sendable, Hashable {
    var epoch: String
    var lastSeq: Int
    var lastJob: Int
  }

  private let descriptor: Mutex<Int32?>

  /// Opens the file, or creates it.
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

  /// The last position written; nil if it cannot be read.
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

  /// Writes the committed position.
  ///
  /// The length is constant for an epoch, so that no old bytes remain.
  func write(_ position: Position) {
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

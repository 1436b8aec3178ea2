import Glibc
internal import HostSystem
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

  private let file: Mutex<Descriptor?>

  /// Opens the file, or creates it.
  init(path: String) {
    var status = stat()
    guard let file = Descriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW),
      unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_nlink == 1
    else {
      self.file = Mutex(nil)
      return
    }
    self.file = Mutex(file)
  }

  /// The last position written; nil if it cannot be read.
  var position: Position? {
    file.withLock { file in
      guard let bytes = file?.read(at: 0, limit: 256), let end = bytes.firstIndex(of: 0x0A) else {
        return nil
      }
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
    file.withLock { file in _ = file?.write(Array(line.utf8), at: 0) }
  }
}

import CProcess
import Glibc
import HostSystem
import PackageProvider

/// How much of a job's log stays on the disk, whatever a package prints.
///
/// Tools append to the log directly, so nobody can hold them back. What is too much is taken out of
/// the middle: the file keeps its length, so that offsets into it stay what they are, and its
/// beginning and its end, where the reasons stand. Where the file system cannot do that, the log
/// stays whole.
struct LogBound: Sendable {
  /// Bytes that stay at the beginning; the last of them say that something is missing.
  static let head: Int64 = 1 << 20
  /// Bytes that stay at the end, at least.
  static let tail: Int64 = 16 << 20
  /// Bytes that may come on top before they are taken out.
  static let slack: Int64 = 8 << 20

  /// Says that something is missing; lies right before the gap.
  static let mark = "\n[fettle: more was printed here than is kept; the end follows]\n"

  private var punched = Self.head

  /// Takes out what is too much of a log of this length.
  mutating func keep(_ folder: JobFolder, length: Int64) {
    let end = (length - Self.tail) / 4096 * 4096
    guard end - punched >= Self.slack, let file = folder.open(.log, O_WRONLY) else { return }
    guard file_punch(file.number, off_t(punched), off_t(end - punched)) == 0 else { return }
    let text = Array(Self.mark.utf8)
    _ = unsafe text.withUnsafeBytes {
      unsafe pwrite(
        file.number, $0.baseAddress, $0.count, off_t(Self.head) - off_t($0.count))
    }
    punched = end
  }
}

import CProcess
import Glibc
import HostSystem
import PackageProvider

/// The limit of a job log's size on the disk.
///
/// Tools append to the log directly, so no process can stop them. Surplus data is punched out of
/// the middle of the file. The file keeps its length, so that offsets into it stay valid, and keeps
/// its beginning and its end, which contain the reasons of errors. Where the file system cannot
/// punch holes, the log stays complete.
struct LogBound: Sendable {
  /// Bytes kept at the beginning; the last of them are the mark.
  static let head: Int64 = 1 << 20
  /// Minimum number of bytes kept at the end.
  static let tail: Int64 = 16 << 20
  /// Bytes of surplus data that accumulate before they are punched out.
  static let slack: Int64 = 8 << 20

  /// The text before the gap, which says that output is missing.
  static let mark = "\n[fettle: more was printed here than is kept; the end follows]\n"

  private var punched = Self.head

  /// Punches out the surplus data of a log of this length.
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

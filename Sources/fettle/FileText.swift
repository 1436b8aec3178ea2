import Glibc

/// Small files as text.
enum FileText: Sendable {
  /// The first `limit` bytes of a file; nil when it cannot be read.
  static func read(_ path: String, limit: Int) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe Glibc.read(file, $0.baseAddress, $0.count)
    }
    return count >= 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
  }
}

internal import Glibc

/// Files that are read or written at once, those of `/proc` among them.
enum SmallFile: Sendable {
  /// The text of a file; nil when it cannot be read.
  static func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The content of a file; nil when it cannot be read.
  static func bytes(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { return nil }
      guard count > 0 else { return content }
      content += chunk[..<count]
    }
  }

  /// Writes a file, replacing what is there.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be written.
  static func write(_ text: String, to path: String) throws(CannotMeasure) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw CannotMeasure("cannot write '\(path)'") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw CannotMeasure("cannot write all of '\(path)'") }
  }

  /// Writes a file until its disk has no room left.
  ///
  /// - Throws: ``CannotMeasure`` when it cannot be made.
  static func fillDisk(_ path: String) throws(CannotMeasure) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CannotMeasure("cannot write '\(path)'") }
    defer { close(file) }
    let block = [UInt8](repeating: 0x61, count: 65_536)
    while unsafe Glibc.write(file, block, block.count) > 0 {}
    // The last blocks, too small for a whole one above.
    while unsafe Glibc.write(file, block, 512) > 0 {}
  }

  /// The names in a folder; empty when it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

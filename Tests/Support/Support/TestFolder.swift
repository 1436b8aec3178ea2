internal import Glibc

/// A folder of one test, gone with the value.
package final class TestFolder: Sendable {
  /// The folder's absolute path.
  package let path: String

  /// Makes the folder below `$TMPDIR` or `/tmp`.
  ///
  /// - Parameter isHandedOver: Whether the test user owns it, else the user of this process, and others
  ///   can read it.
  /// - Throws: `FixtureError` when it cannot be made.
  package init(isHandedOver: Bool = true) throws {
    path = try Self.makeTemporary()
    if isHandedOver { try Self.hand(path) } else { unsafe chmod(path, 0o755) }
  }

  /// Makes an empty folder of this process's user with mode 0700 below `$TMPDIR` or `/tmp`.
  ///
  /// - Parameter limit: The most bytes that the parent's path may have, else `/tmp` is taken.
  /// - Returns: Its absolute path.
  /// - Throws: `FixtureError` when it cannot be made.
  package static func makeTemporary(below limit: Int = .max) throws -> String {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    let base = parent.utf8.count <= limit ? parent : "/tmp"
    var template = Array("\(base)/fettle-XXXXXX".utf8CString)
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { throw FixtureError("cannot make a folder in \(base)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The absolute path of something in the folder.
  package func path(_ relative: String) -> String { path + "/" + relative }

  /// Makes a folder with those above it, all owned by the test user.
  package static func makeFolder(_ path: String) throws {
    var record = stat()
    if unsafe stat(path, &record) == 0 { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeFolder(String(path[..<slash]))
    }
    guard unsafe mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw FixtureError("cannot make the folder \(path)")
    }
    try hand(path)
  }

  /// Writes a file owned by the test user, replacing what is there.
  package static func write(_ content: [UInt8], to path: String, mode: UInt32 = 0o644) throws {
    unsafe unlink(path)
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw FixtureError("cannot write \(path)") }
    defer { close(file) }
    var written = 0
    while written < content.count {
      let count = unsafe content.withUnsafeBytes {
        unsafe Glibc.write(
          file, $0.baseAddress.map { unsafe $0 + written }, content.count - written)
      }
      guard count > 0 else { throw FixtureError("cannot write all of \(path)") }
      written += count
    }
    try hand(path)
  }

  /// Writes a text file owned by the test user.
  package static func write(_ text: String, to path: String, mode: UInt32 = 0o644) throws {
    try write(Array(text.utf8), to: path, mode: mode)
  }

  /// The text of a file; nil when it cannot be read.
  package static func text(of path: String) -> String? {
    bytes(of: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The content of a file; nil when it cannot be read.
  package static func bytes(of path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { return nil }
      guard count > 0 else { return content }
      content.append(contentsOf: chunk[..<count])
    }
  }

  /// Whether something exists at a path, a dangling link included.
  package static func exists(_ path: String) -> Bool {
    var record = stat()
    return unsafe lstat(path, &record) == 0
  }

  /// Removes a file, or a folder with everything in it.
  package static func remove(_ path: String) {
    var record = stat()
    guard unsafe lstat(path, &record) == 0 else { return }
    guard record.st_mode & S_IFMT == S_IFDIR else {
      unsafe unlink(path)
      return
    }
    for name in names(in: path) { remove(path + "/" + name) }
    unsafe rmdir(path)
  }

  /// The names in a folder, sorted.
  package static func names(in folder: String) -> [String] {
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
    return names.sorted()
  }

  private static func hand(_ path: String) throws {
    guard geteuid() == 0 else { return }
    guard unsafe chown(path, TestUser.id, TestUser.id) == 0 else {
      throw FixtureError("cannot give \(path) to the test user")
    }
  }
}

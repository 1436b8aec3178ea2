internal import Glibc

/// Files that every user can read, for a program that continues as another user.
package enum OpenFile: Sendable {
  /// Returns whether every user can pass the folders of a path and read the file.
  ///
  /// - Parameters:
  ///   - path: An absolute path; false for a path that cannot be examined.
  ///   - isProgram: Whether every user must also be able to execute the file.
  /// - Returns: Whether all users have these rights.
  package static func isOpen(_ path: String, isProgram: Bool = false) -> Bool {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/" + part
      guard mode(of: folder) & 0o001 != 0 else { return false }
    }
    let needed: mode_t = isProgram ? 0o005 : 0o004
    return mode(of: path) & needed == needed
  }

  /// Copies a file and makes the copy readable and executable for every user; fails if the target
  /// exists.
  ///
  /// - Returns: Whether the whole file was copied.
  package static func copy(_ source: String, to target: String) -> Bool {
    let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { return false }
    defer { close(input) }
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o755)
    guard output >= 0 else { return false }
    defer { close(output) }
    while true {
      let count = sendfile(output, input, nil, 1 << 24)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 && fchmod(output, 0o755) == 0 }
    }
  }

  /// The paths of the shared libraries mapped into this process, each once; empty when `/proc`
  /// cannot be read.
  package static var loadedLibraries: [String] {
    var seen = Set<Substring>()
    return text(of: "/proc/self/maps").split(separator: "\n").compactMap { line in
      guard let start = line.firstIndex(of: "/") else { return nil }
      let path = line[start...]
      return path.contains(".so") && seen.insert(path).inserted ? String(path) : nil
    }
  }

  private static func mode(of path: String) -> mode_t {
    var record = stat()
    return unsafe stat(path, &record) == 0 ? record.st_mode : 0
  }

  /// Returns the text of a file; empty when it cannot be read.
  package static func text(of path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(file, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

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

  /// The paths of the shared libraries mapped into this process, each once; empty when `/proc`
  /// cannot be read.
  package static var loadedLibraries: [String] {
    var seen = Set<Substring>()
    return (RootFiles.text(of: "/proc/self/maps", limit: 1 << 24) ?? "").split(separator: "\n")
      .compactMap { line in
        guard let start = line.firstIndex(of: "/") else { return nil }
        let path = line[start...]
        return path.contains(".so") && seen.insert(path).inserted ? String(path) : nil
      }
  }

  private static func mode(of path: String) -> mode_t {
    var record = stat()
    return unsafe stat(path, &record) == 0 ? record.st_mode : 0
  }
}

import Glibc

/// Paths as people type them.
enum AbsolutePath: Sendable {
  /// The path from `/` on.
  static func of(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }
}

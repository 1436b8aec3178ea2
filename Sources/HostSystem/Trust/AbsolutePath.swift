internal import Glibc

/// Paths as people type them, in one spelling.
package enum AbsolutePath: Sendable {
  /// The path from `/` on, seen from the present folder, without empty parts, `.` and a slash at its
  /// end; links and `..` are left as they are.
  package static func of(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) {
      defer { unsafe free(folder) }
      whole = unsafe String(cString: folder) + "/" + path
    }
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }
}

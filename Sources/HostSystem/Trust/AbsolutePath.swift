internal import Glibc

/// Makes typed paths absolute.
package enum AbsolutePath: Sendable {
  /// Returns the absolute path, resolved from the working folder, without empty parts, `.` and a
  /// trailing slash; links and `..` are left unchanged.
  package static func of(_ path: String) -> String {
    var whole = path
    if !path.hasPrefix("/"), let folder = unsafe getcwd(nil, 0) {
      defer { unsafe free(folder) }
      whole = unsafe String(cString: folder) + "/" + path
    }
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }
}

internal import Glibc

/// The folder for temporary files.
package enum TemporaryFolder: Sendable {
  /// `$TMPDIR` if it is an absolute path, otherwise `/tmp`.
  ///
  /// Root uses `$TMPDIR` only if no other user can replace entries of it: root owns the folder, and
  /// either no other user may write it or it is sticky, and the same holds for its parents.
  package static var path: String {
    guard let value = unsafe getenv("TMPDIR") else { return "/tmp" }
    let named = unsafe String(cString: value)
    guard named.hasPrefix("/") else { return "/tmp" }
    return geteuid() != 0 || isSafe(named) ? named : "/tmp"
  }

  /// Returns whether a folder that root creates in this folder keeps its name and owner.
  private static func isSafe(_ folder: String) -> Bool {
    // A missing name is checked up to its existing parent; a shared sticky folder is accepted.
    let probe = folder + "/" + String(getpid())
    do throws(UntrustedPath) {
      return try TrustedPath.existing(probe, owners: [0]).missing.count <= 1
    } catch {
      return false
    }
  }
}

internal import Glibc

/// The folder for temporary files.
package enum TemporaryFolder: Sendable {
  /// `$TMPDIR`, else `/tmp`.
  ///
  /// Root uses `$TMPDIR` only where no other user can replace what is made in it: the folder is
  /// root's, and either nobody else may write it or it is sticky, as are the folders above it.
  package static var path: String {
    guard let value = unsafe getenv("TMPDIR") else { return "/tmp" }
    let named = unsafe String(cString: value)
    guard named.hasPrefix("/") else { return "/tmp" }
    return geteuid() != 0 || isSafe(named) ? named : "/tmp"
  }

  /// Whether a folder that root makes in this one stays root's under its name.
  private static func isSafe(_ folder: String) -> Bool {
    // A name that is not there yet is checked as far as it exists: a shared sticky folder passes.
    let probe = folder + "/" + String(getpid())
    do throws(UntrustedPath) {
      return try TrustedPath.existing(probe, owners: [0]).missing.count <= 1
    } catch {
      return false
    }
  }
}

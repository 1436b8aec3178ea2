import FileTrust
import Glibc
import InstallJobs

/// What root is about to rely on must not be another user's.
enum Trust: Sendable {
  /// Throws where this process is root's and another user can change a file or a folder.
  ///
  /// - Parameters:
  ///   - path: An absolute path; it need not exist.
  ///   - name: What it is, for the message.
  /// - Throws: `notPermitted`, naming path and owner.
  static func require(_ path: String, as name: String) throws(InstallationError) {
    do {
      try TrustedPath.requireForRoot(path)
    } catch {
      throw InstallationError(
        .notPermitted, "root must not rely on \(name): \(error)", class: .fatal,
        hint: error.hint)
    }
  }

  /// Leaves out of root's environment what would have libraries write where another user can.
  static func clearEnvironment() {
    guard geteuid() == 0 else { return }
    if unsafe getenv("TMPDIR") != nil { unsafe setenv("TMPDIR", TemporaryFolder.path, 1) }
    for name in ["SQLITE_TMPDIR", "LD_PRELOAD", "LD_AUDIT"] { unsafe unsetenv(name) }
    if let value = unsafe getenv("LD_LIBRARY_PATH") {
      let folders = unsafe String(cString: value).split(
        separator: ":", omittingEmptySubsequences: false)
      let isSafe = folders.allSatisfy { folder in
        folder.hasPrefix("/") && (try? TrustedPath.requireForRoot(String(folder))) != nil
      }
      if !isSafe { unsafe unsetenv("LD_LIBRARY_PATH") }
    }
    unsafe setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1)
  }
}

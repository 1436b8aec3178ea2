import HostSystem
import InstallJobs

/// Checks that no other user can change a file that root relies on.
enum Trust: Sendable {
  /// Throws if this process runs as root and another user can change a file or folder.
  ///
  /// - Parameters:
  ///   - path: An absolute path; it need not exist.
  ///   - name: The name of the file in the message.
  /// - Throws: `notPermitted`, naming path and owner.
  static func require(_ path: String, as name: String) throws(InstallationError) {
    do {
      try TrustedPath.requireForRoot(path)
    } catch {
      throw InstallationError(
        .notPermitted, error.refusal(of: name), class: .fatal, hint: error.hint)
    }
  }
}

import HostSystem
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
        .notPermitted, error.refusal(of: name), class: .fatal, hint: error.hint)
    }
  }
}

internal import Glibc
package import InstallJobs

/// Checks that no other user can change a file that root relies on.
package enum Trust: Sendable {
  /// Throws if this process runs as root and another user can change a file or folder.
  ///
  /// - Parameters:
  ///   - path: An absolute path; it need not exist.
  ///   - name: The name of the file in the message.
  /// - Throws: `notPermitted`, naming path and owner.
  package static func require(_ path: String, as name: String) throws(InstallationError) {
    do {
      try TrustedPath.requireForRoot(path)
    } catch {
      throw refusal(of: name, error)
    }
  }

  /// Throws if this process runs as root and another user can change the folder of a try.
  ///
  /// The folder and its parents may belong to the unused user of an earlier try; root becomes that
  /// user again.
  ///
  /// - Parameter path: An absolute path; it need not exist.
  /// - Throws: `notPermitted`, naming path and owner.
  package static func require(folderOfTry path: String) throws(InstallationError) {
    guard geteuid() == 0 else { return }
    var record = stat()
    let isTrys = unsafe lstat(path, &record) == 0 && UnusedUserID.contains(record.st_uid)
    do {
      _ = try TrustedPath.existing(path, owners: isTrys ? [0, record.st_uid] : [0])
    } catch {
      throw refusal(of: "the folder of a try", error)
    }
  }

  private static func refusal(of name: String, _ error: UntrustedPath) -> InstallationError {
    InstallationError(.notPermitted, error.refusal(of: name), class: .fatal, hint: error.hint)
  }
}

package import InstallJobs
package import PackageProvider

extension PackageRoot {
  /// The file beside dpkg's own locks that an engine's claim on the root locks.
  private var claimFile: String { adminDirectory + "/lock-fettle" }

  /// Claims the root for this process until the claim is dropped.
  ///
  /// - Throws: As ``RootClaim/init(at:of:stateFolder:)``.
  package func claim(stateFolder: String) throws(InstallationError) -> RootClaim {
    try RootClaim(at: claimFile, of: path, stateFolder: stateFolder)
  }

  /// The engine that works on the root; nil when there is none, or when the claim may not be read.
  var claimant: (pid: Int32, stateFolder: String)? { RootClaim.holder(of: claimFile) }
}

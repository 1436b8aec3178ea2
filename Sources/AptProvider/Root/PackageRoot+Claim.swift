package import InstallJobs
package import PackageProvider

extension PackageRoot {
  /// The file that an engine's claim on the root locks, beside dpkg's own locks.
  private var claimFile: String { adminDirectory + "/lock-fettle" }

  /// Claims the root for this process until the claim is deallocated.
  ///
  /// - Throws: The errors of ``RootClaim/init(at:of:stateFolder:)``.
  package func claim(stateFolder: String) throws(InstallationError) -> RootClaim {
    try RootClaim(at: claimFile, of: path, stateFolder: stateFolder)
  }

  /// The engine that has a claim on the root; nil when there is none or the file cannot be read.
  var claimant: (pid: Int32, stateFolder: String)? { RootClaim.holder(of: claimFile) }
}

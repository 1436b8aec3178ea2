internal import InstallJobs
import PackageProvider

extension SimulatedDatabase {
  /// Returns the simulated machine's data about a version of a package.
  ///
  /// - Parameters:
  ///   - package: The version.
  ///   - isNewest: Whether the scenario has no newer version.
  /// - Returns: The details, according to the current package database.
  func details(of package: SimulatedPackage, isNewest: Bool) -> UpdateDetails {
    var details = UpdateDetails(
      name: package.name, version: package.version, architecture: package.architecture)
    details.title = "simulated package"
    details.downloadSize = package.size
    details.installedSize = package.installedSize
    details.origin = package.origin
    details.isSecurity = package.origin.namesSecurity
    details.isCandidate = isNewest
    details.presence.installedVersion = self[package.key].version
    details.presence.isHeld = package.isHeld
    details.presence.isEssential = package.isEssential
    if !package.dependencies.isEmpty {
      details.otherFields["Depends"] = package.dependencies.joined(separator: ", ")
    }
    return details
  }
}

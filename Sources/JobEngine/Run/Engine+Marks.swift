import HostSystem
package import InstallJobs
import Logging
import PackageProvider

extension Engine {
  /// Sets a mark of installed packages while no job is at work.
  ///
  /// - Throws: `noUpdates`; `notApplicable` for a malformed name or a package that is not
  ///   installed; `busy` while a job works or another process uses the package database;
  ///   `notVerified`.
  package func mark(
    _ mark: PackageMark, _ updates: [Update], by requester: Requester
  ) async throws(InstallationError) {
    guard !updates.isEmpty else {
      throw InstallationError(
        .noUpdates, "cannot set the mark '\(mark.rawValue)': no package is named", class: .fatal,
        hint: "name at least one package")
    }
    for update in updates { try update.validate() }
    if let job = queue.running {
      throw InstallationError(
        .busy, "cannot mark packages while job \(job) works", class: .transient,
        hint: "try again when job \(job) is over")
    }
    logger.info(
      "marking packages", metadata: ["mark": "\(mark.rawValue)", "user": "\(requester.user)"])
    let provider = provider
    try await providerThreads.run { () async throws(InstallationError) in
      try await provider.mark(mark, updates)
    }
  }
}

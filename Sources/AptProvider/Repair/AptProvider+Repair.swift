import HostSystem
package import InstallJobs
import PackageProvider

extension AptProvider {
  /// Configures the packages that interrupted or failed work left (`dpkg --configure -a`), without
  /// a job.
  ///
  /// Configuration files that were changed both locally and by the package stay as they are. dpkg
  /// acquires the package lock itself, so this fails while another process works on the root.
  ///
  /// - Returns: The output of dpkg and of the packages' scripts, sanitised.
  /// - Throws: `notPermitted` as in ``PackageRoot/checkRights(euid:)``; `busy` while another
  ///   process works on the root; `packageFailed` with dpkg's message.
  package func configureLeftovers() async throws(InstallationError) -> String {
    try packageRoot.checkRights()
    if let holder = packageRoot.lockHolder { throw busy(holder) }
    let configuration = AptConfiguration(root: packageRoot)
    let run = try await Tool("/usr/bin/dpkg").run(
      packageRoot.dpkgOptions + configuration.conffileOptions + ["--configure", "-a"],
      environment: configuration.environment,
      to: "configure what is left", limits: .none)
    let words = Sanitised.text(run.output + run.errors)
    guard run.status != 0 else {
      // dpkg --configure skips half-installed packages and reports nothing about them.
      if let left = try await leftovers()?.first {
        throw InstallationError(
          .packageFailed, "\(root) is not mended: \(left.message)", detail: words, hint: left.hint)
      }
      return words
    }
    // Another process may have acquired the lock meanwhile.
    if run.errors.contains("locked by another process") { throw busy(packageRoot.lockHolder) }
    // dpkg's error takes two lines: the package, then the reason.
    let lines = run.errors.split(separator: "\n").drop { !$0.hasPrefix("dpkg: error") }.prefix(2)
    let reason = lines.joined().dropFirst("dpkg: error ".count)
    throw InstallationError(
      .packageFailed,
      "cannot configure what is left in \(root): "
        + (reason.isEmpty ? "dpkg ends with \(run.status)" : Sanitised.line(reason)),
      detail: words,
      hint: "put right what the package's script needs and try again; with an engine, "
        + PackageRoot.removalAdvice(for: (try? await leftovers())?.compactMap(\.package) ?? []))
  }

  /// Returns the faults of incomplete packages while no process works on the root.
  ///
  /// - Returns: A fault for each incomplete package; nil while another process works, or while a
  ///   lock file may not be read.
  /// - Throws: `internal` when the database cannot be read.
  package func leftovers() async throws(InstallationError) -> [Checkup.Finding]? {
    guard packageRoot.isIdle else { return nil }
    let database = try await PackageDatabase.read(packageRoot)
    let findings = packageRoot.incompletePackageFindings(
      in: database, journaled: packageRoot.journaledNames)
    // Work that started meanwhile may have changed any package.
    return packageRoot.isIdle ? findings : nil
  }

  private func busy(_ holder: LockHolder?) -> InstallationError {
    let who =
      holder?.workerJob.map { "job \($0.number) works on it" }
      ?? "\(holder?.words ?? "somebody") holds the package lock"
    return InstallationError(
      .busy, "cannot configure what is left in \(root): \(who)", class: .transient,
      hint: "wait for that to end, then try again")
  }
}

import HostSystem
package import InstallJobs
import PackageProvider

extension AptProvider {
  /// Configures what interrupted or failed work left (`dpkg --configure -a`), without a job.
  ///
  /// Asks nothing: configuration files that were changed on both sides stay as they are. dpkg takes
  /// the package lock itself, so this fails while anybody works on the root.
  ///
  /// - Returns: What dpkg and the packages' scripts said, fit to be shown.
  /// - Throws: `notPermitted` as acting on the root does; `busy` while somebody works on it;
  ///   `packageFailed` with dpkg's own words.
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
      // What is half installed has nothing to be configured, and dpkg says nothing of it.
      if let left = try await leftovers()?.first {
        throw InstallationError(
          .packageFailed, "\(root) is not mended: \(left.message)", detail: words, hint: left.hint)
      }
      return words
    }
    // Somebody may have come in between.
    if run.errors.contains("locked by another process") { throw busy(packageRoot.lockHolder) }
    // The package, and in the next line what became of it.
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

  /// What is half done in the root's package database while nobody works on it.
  ///
  /// - Returns: A fault for each package; none when all are whole; nil while that cannot be told:
  ///   somebody works, or whether somebody does may not be known.
  /// - Throws: `internal` when the database cannot be read.
  package func leftovers() async throws(InstallationError) -> [Checkup.Finding]? {
    guard packageRoot.isKnownToRest else { return nil }
    let database = try await PackageDatabase.read(packageRoot)
    let findings = packageRoot.halfStates(in: database, journaled: packageRoot.journaledNames)
    // Who began meanwhile may be in the middle of anything.
    return packageRoot.isKnownToRest ? findings : nil
  }

  private func busy(_ holder: LockHolder?) -> InstallationError {
    let who =
      holder?.ownJob.map { "job \($0.number) works on it" }
      ?? "\(holder?.words ?? "somebody") holds the package lock"
    return InstallationError(
      .busy, "cannot configure what is left in \(root): \(who)", class: .transient,
      hint: "wait for that to end, then try again")
  }
}

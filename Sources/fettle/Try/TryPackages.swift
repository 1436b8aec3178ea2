import InstallJobs
import JobClient

/// Packages for a first look: small programs and pages without scripts of their own that need
/// nothing beyond a plain Debian 12, so that they can be installed without rights and without
/// chroot (each was installed with what it recommends).
struct TryPackages: Sendable {
  let comment: String
  let packages: [String]

  /// The jobs of a first look, in order.
  static let all = [
    TryPackages(
      comment: "tools for the terminal",
      packages: [
        "ripgrep", "fd-find", "fzf", "tree", "pv", "hyperfine", "btop", "duf", "gdu", "datamash",
        "miller", "dos2unix", "sd", "zoxide", "vivid", "wdiff", "manpages-dev", "progress",
      ]),
    TryPackages(
      comment: "things to look at",
      packages: [
        "hello", "cowsay", "nyancat", "ddate", "pipes-sh", "ascii", "filters",
        "fonts-hack", "fonts-firacode", "fonts-jetbrains-mono", "debian-faq", "debian-handbook",
      ]),
  ]

  /// Submits a job for those of the packages that the engine can install.
  ///
  /// - Returns: The job's number; nil when none of the packages can be installed.
  /// - Throws: Whatever keeps the engine from planning at all.
  func submit(to session: UpdateSession) async throws(InstallationError) -> JobID? {
    var names = packages
    while !names.isEmpty {
      do {
        return try await submit(names, to: session)
      } catch {
        // The one that stands in the way of all is left out, where the engine can name it.
        guard let culprit = error.update, names.contains(culprit) else {
          names = await installable(names, on: session)
          return names.isEmpty ? nil : try await submit(names, to: session)
        }
        names.removeAll { $0 == culprit }
      }
    }
    return nil
  }

  /// Those that can be installed, each asked about alone.
  private func installable(_ names: [String], on session: UpdateSession) async -> [String] {
    var installable: [String] = []
    for name in names {
      guard let plan = try? await session.plan(JobRequest(.install, [Update(name)])),
        !plan.steps.isEmpty
      else { continue }
      installable.append(name)
    }
    return installable
  }

  private func submit(
    _ names: [String], to session: UpdateSession
  ) async throws(InstallationError) -> JobID {
    var options = TryRun.options
    options.comment = comment
    return try await session.submit(
      JobRequest(.install, names.map { Update($0) }, options: options)
    ).id
  }
}

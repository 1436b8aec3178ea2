import InstallJobs
import JobClient

/// The packages of one job that `fettle try` installs by default.
///
/// They are small programs and documents without maintainer scripts that need only a plain Debian
/// 12, so that they can be installed without rights and without chroot (each was installed with
/// what it recommends).
struct TryPackages: Sendable {
  let comment: String
  let packages: [String]

  /// The default jobs, in order.
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

  /// Submits a job for the packages that the engine can install.
  ///
  /// - Returns: The job's number; nil when no package can be installed.
  /// - Throws: The error that prevents planning at all.
  func submit(to session: UpdateSession) async throws(InstallationError) -> JobID? {
    var names = packages
    while !names.isEmpty {
      do {
        return try await submit(names, to: session)
      } catch {
        // Remove the package that the engine names as the cause; without a name, test each package
        // alone.
        guard let culprit = error.update, names.contains(culprit) else {
          names = await installable(names, on: session)
          return names.isEmpty ? nil : try await submit(names, to: session)
        }
        names.removeAll { $0 == culprit }
      }
    }
    return nil
  }

  /// Returns the packages that can be installed, each planned alone.
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

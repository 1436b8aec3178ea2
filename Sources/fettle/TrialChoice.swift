import InstallJobs
import JobClient

/// Packages for a first look: small programs and pages whose own scripts, if any, are known to run
/// without rights and without chroot.
struct TrialChoice {
  let comment: String
  let packages: [String]

  /// The jobs of a first look, in order.
  static let all = [
    TrialChoice(
      comment: "tools for the terminal",
      packages: [
        "ripgrep", "fd-find", "bat", "hyperfine", "fzf", "tree", "jq", "pv", "ncdu", "moreutils",
        "debian-reference-en",
      ]),
    TrialChoice(
      comment: "things to look at",
      packages: [
        "hello", "sl", "cowsay", "figlet", "cmatrix", "toilet", "fortune-mod", "boxes",
        "fonts-noto-mono", "debian-handbook",
      ]),
  ]

  /// Those of the packages that the engine can install and that are not there yet.
  ///
  /// - Throws: Whatever keeps the engine from planning at all.
  func available(on backend: EngineBackend) async throws(InstallationError) -> [Update] {
    var names = packages
    while !names.isEmpty {
      do {
        let plan = try await backend.plan(JobRequest(.install, names.map { Update($0) }))
        return plan.requests.filter { $0.step != nil }.map(\.update)
      } catch {
        guard let name = error.update, names.contains(name) else { throw error }
        names.removeAll { $0 == name }
      }
    }
    return []
  }
}

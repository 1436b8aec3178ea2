import HostSystem
internal import InstallJobs

/// The order of versions, by dpkg (deb-version(7)).
enum VersionOrder {
  /// Returns for each pair whether the first version is older than the second.
  ///
  /// Runs one shell for all pairs: starting dpkg for each pair from here would take longer than
  /// planning.
  static func areOlder(_ pairs: [(String, String)]) async throws(InstallationError) -> [Bool] {
    guard !pairs.isEmpty else { return [] }
    let script = """
      while [ $# -gt 1 ]; do
        if dpkg --compare-versions "$1" lt "$2"; then echo y; else echo n; fi
        shift 2
      done
      """
    let run = try await Tool("/bin/sh").run(
      ["-c", script, "sh"] + pairs.flatMap { [$0.0, $0.1] }, environment: Tool.plain,
      to: "compare versions")
    let answers = run.output.split(separator: "\n").map { $0 == "y" }
    guard answers.count == pairs.count else {
      throw InstallationError(
        .internal, "dpkg does not compare versions: \(Sanitised.line(run.errors, limit: 200))")
    }
    return answers
  }

  /// Returns whether one version is older than another.
  static func isOlder(_ first: String, than second: String)
    async throws(InstallationError) -> Bool
  {
    try await areOlder([(first, second)]) == [true]
  }
}

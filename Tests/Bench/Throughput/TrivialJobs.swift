/// Another program that runs many jobs, each of which is `true`.
struct TrivialJobs: Sendable {
  /// Its name and version as figures name it.
  let title: String
  /// Whether ours is to be ahead of it.
  let isJudge: Bool
  /// Runs so many jobs and prints nothing; `$0` is the program, `$1` how many.
  private let script: String
  private let program: String
  private let environment: [String: String]

  /// How one of them is called.
  private struct Kind {
    var name: String
    var isJudge: Bool
    var versionOption: String
    var script: String
  }

  private static let kinds = [
    // Each call starts a client, as each `fettle install` would; the last one waits for all.
    Kind(
      name: "tsp", isJudge: true, versionOption: "-V",
      script: """
        i=0; while [ $i -lt $1 ]; do "$0" -n true; i=$((i+1)); done >/dev/null
        "$0" -w; status=$?; "$0" -K; exit $status
        """),
    Kind(
      name: "parallel", isJudge: true, versionOption: "--version",
      script: #"seq "$1" | "$0" true"#),
    Kind(
      name: "ninja", isJudge: false, versionOption: "--version",
      script: """
        { echo 'rule t'; echo ' command = true'; i=0
        while [ $i -lt $1 ]; do echo "build o$i: t"; i=$((i+1)); done; } >build.ninja
        exec "$0" --quiet
        """),
  ]

  /// The names of all that ours could be compared with.
  static var names: [String] { kinds.map(\.name) }

  /// Those that are installed.
  ///
  /// - Throws: ``CannotMeasure`` when their folders cannot be made.
  static func installed(in workplace: Workplace) throws(CannotMeasure) -> [TrivialJobs] {
    var found: [TrivialJobs] = []
    for kind in kinds {
      var environment = try workplace.environment(home: kind.name)
      environment["TMPDIR"] = environment["HOME"]
      environment["TS_SOCKET"] = (environment["HOME"] ?? "") + "/sock"
      environment["TS_MAXFINISHED"] = "10"
      guard
        let program = InstalledProgram(
          kind.name, asking: kind.versionOption, environment: environment)
      else { continue }
      found.append(
        TrivialJobs(
          title: program.title, isJudge: kind.isJudge, script: kind.script,
          program: program.path, environment: environment))
    }
    return found
  }

  /// Runs so many.
  ///
  /// - Returns: Jobs a second.
  /// - Throws: ``CannotMeasure`` when it fails.
  func run(_ count: Int) async throws -> Double {
    let home = environment["HOME"] ?? "/"
    let words = ["/bin/sh", "-c", "cd \"$2\" || exit 1\n" + script, program, "\(count)", home]
    let seconds = try await Stopwatch.time {
      [try ChildProgram(words, environment: environment, log: home + "/log")]
    }
    return Double(count) / seconds
  }
}

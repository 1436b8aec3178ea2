import ArgumentParser

/// The command `fettle engine`.
struct Engine: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run an engine in the foreground.",
    discussion: "Options: --root DIR, --state DIR, --socket PATH, --provider apt|simulated:FILE.",
    // `fettled` prints the help, since this command does not know its options.
    helpNames: [])

  @Argument(parsing: .captureForPassthrough, help: .hidden) var arguments: [String] = []

  func run() throws { try EngineProgram.replaceProcess(["engine"] + arguments) }
}

/// The command `fettle root`.
struct Root: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make, check, update and repair package roots.",
    discussion: """
      fettle root create DIR [--like-host | --empty] [--source 'deb …'], root check DIR, \
      root update DIR (fetches its package index), root repair DIR (completes what was cut off).
      """,
    helpNames: [])

  @Argument(parsing: .captureForPassthrough, help: .hidden) var arguments: [String] = []

  func run() throws { try EngineProgram.replaceProcess(["root"] + arguments) }
}

import ArgumentParser
import InstallJobs

/// The command `fettle try`.
struct Try: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The safe first minute: real installs into a throwaway root, watched live.",
    discussion: """
      Makes a package root that counts this machine's packages as installed, starts an engine on it
      and submits installs of real packages from this machine's sources. Nothing of this machine is
      changed; the root is removed at the end, unless --root keeps it. Run by root, the engine works
      as a user that nobody else is, so that no package script has rights.
      """)

  @Argument(help: "The packages to install; a choice is made when none is named.")
  var package: [String] = []
  @Option(help: ArgumentHelp("Keep the package root there.", valueName: "folder"))
  var root: String?
  @Option(
    help: ArgumentHelp(
      "Play a scenario instead, marked as simulated: a name or a file.", valueName: "scenario"))
  var simulated: String?
  @Flag(help: "With --plain: print the jobs as JSON at the end, and nothing else.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if simulated != nil, root != nil || !package.isEmpty {
      throw ValidationError("--simulated takes neither packages nor --root")
    }
    if json, !global.plain { throw ValidationError("--json needs --plain") }
    // Options that a try would ignore, or that would fail only later.
    if global.socket != nil {
      throw ValidationError(
        "--socket names an engine that runs, a try starts one of its own: leave it out, or see that"
          + " engine with 'fettle --socket PATH'")
    }
    if global.readOnly, simulated == nil {
      throw ValidationError(
        "--read-only and try exclude each other: a try submits jobs; --simulated takes it")
    }
  }

  func run() async throws {
    for name in package { _ = try Update(parsing: name) }
    let trial = try TryRun(root: root, scenario: simulated, quiet: json)
    let status = try await trial.run(packages: package, global: global, json: json)
    if status != .succeeded { throw status }
  }
}

import ArgumentParser
import HostSystem
import InstallJobs
import Settings

/// The program `fettle`: the monitor and the commands.
@main
struct Fettle: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle",
    abstract: "Installs software in a queue, shows every update live, stops where it says.",
    discussion: """
      Without a command, opens the monitor on the engine that is found: --socket, then \
      $FETTLE_SOCKET, then your own engine, then the system's. 'fettle try' needs no engine and \
      touches nothing of this machine.
      """,
    version: ProductVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Looking",
        subcommands: [
          Monitor.self, Jobs.self, Show.self, Log.self, Watch.self, Status.self, History.self,
          ReplayCommand.self, Audit.self, Updates.self, Doctor.self,
        ]),
      CommandGroup(
        name: "Installing and removing",
        subcommands: [
          Install.self, Remove.self, Purge.self, Reinstall.self, Upgrade.self,
          FullUpgrade.self, Autoremove.self, Plan.self,
        ]),
      CommandGroup(
        name: "Packages",
        subcommands: [
          UpdateIndex.self, Search.self, Info.self, List.self, Policy.self, Hold.self, Unhold.self,
          Mark.self,
        ]),
      CommandGroup(
        name: "Acting on jobs",
        subcommands: [
          Abort.self, Cleanup.self, Retry.self, Pause.self, Resume.self, Move.self, Yield.self,
        ]),
      CommandGroup(
        name: "Engines and roots",
        subcommands: [
          Try.self, Engine.self, Root.self,
        ]),
      CommandGroup(name: "Settings", subcommands: [Themes.self]),
    ],
    defaultSubcommand: Monitor.self)

  /// The names of all commands, with their aliases.
  static var commandNames: Set<String> {
    Set(commands.map { $0.commandNameTyped }).union(aliases)
  }

  /// The other names of commands.
  static var aliases: Set<String> { Set(commands.flatMap { $0.configuration.aliases }) }

  private static var commands: [any ParsableCommand.Type] {
    let grouped = configuration.groupedSubcommands.flatMap(\.subcommands)
    return grouped + configuration.ungroupedSubcommands
  }

  /// Runs the command; every error ends the process with one line and an ``ExitStatus``.
  static func main() async {
    Memory.shareOneArena()
    RootEnvironment.clear()
    do {
      let typed = Array(CommandLine.arguments.dropFirst())
      if let word = ArgumentOrder.unknownCommand(typed, commands: commandNames) {
        throw unknown(word)
      }
      var command = try parseAsRoot(
        passedOn(ArgumentOrder.normalized(typed, commands: commandNames)))
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Report.exit(withFailure: error)
    }
  }

  /// What does here what a command of apt does.
  private static let commandsOfApt = [
    "uninstall": "remove", "delete": "remove", "clean": "cleanup --finished",
    "autoclean": "cleanup --finished", "download": "install --download-only",
    "check": "doctor", "upgradable": "updates",
  ]

  private static func unknown(_ word: String) -> InstallationError {
    let other = commandsOfApt[word] ?? NearestWord.of(word, in: commandNames)
    let meant = other.map { "did you mean '\($0)'? " } ?? ""
    let shown = word.count > 40 ? word.prefix(40) + "…" : word
    return InstallationError(
      .invalidArgument, "there is no command '\(shown)'", class: .fatal,
      hint: meant + "'fettle --help' lists the commands")
  }

  /// Rewrites `help engine` to `engine --help`, since `fettled` prints that help.
  private static func passedOn(_ arguments: [String]) -> [String] {
    guard arguments.first == "help", arguments.count > 1,
      arguments[1] == Engine.commandNameTyped || arguments[1] == Root.commandNameTyped
    else { return arguments }
    return arguments[1...] + ["--help"]
  }
}

extension ParsableCommand {
  /// The command's name on the command line.
  static var commandNameTyped: String {
    configuration.commandName ?? String(describing: Self.self).lowercased()
  }
}

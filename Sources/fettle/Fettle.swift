import ArgumentParser

/// What people type: the monitor and the commands.
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
    version: FettleVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Looking",
        subcommands: [
          Monitor.self, Jobs.self, Show.self, Log.self, Watch.self, Status.self,
        ]),
      CommandGroup(
        name: "Installing and removing",
        subcommands: [
          Install.self, Remove.self, Purge.self, Reinstall.self, Upgrade.self, Plan.self,
        ]),
      CommandGroup(
        name: "Acting on jobs",
        subcommands: [
          Abort.self, Cleanup.self, Pause.self, Resume.self,
        ]),
      CommandGroup(
        name: "Engines and roots",
        subcommands: [
          Try.self, Engine.self, Root.self,
        ]),
      CommandGroup(name: "Settings", subcommands: [Themes.self]),
    ],
    defaultSubcommand: Monitor.self)

  /// The names of all commands.
  private static var commandNames: Set<String> {
    let grouped = configuration.groupedSubcommands.flatMap(\.subcommands)
    return Set((grouped + configuration.ungroupedSubcommands).map { $0.commandNameTyped })
  }

  /// Runs the command; every error ends in one line and the exit status of the contract.
  static func main() async {
    do {
      let typed = Array(CommandLine.arguments.dropFirst())
      var command = try parseAsRoot(ArgumentOrder.normalized(typed, commands: commandNames))
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      Report.exit(withFailure: error)
    }
  }
}

extension ParsableCommand {
  /// The name under which a command is typed.
  fileprivate static var commandNameTyped: String {
    configuration.commandName ?? String(describing: Self.self).lowercased()
  }
}

import ArgumentParser

@main
struct Fettled: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "fettled", subcommands: [Work.self])

  func run() async throws {}
}

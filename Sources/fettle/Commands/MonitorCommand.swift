import ArgumentParser
import Glibc
import InstallJobs
import JobClient

/// The command `fettle monitor`, and `fettle` alone.
struct Monitor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The live screen of an engine's jobs (the default command).")

  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let screen = MonitorScreen(global)
    guard screen.isPossible else {
      guard PlainSession.isPossible else { return try await Watching(global: global).run() }
      let connection = try await global.connect()
      return await PlainSession(connection, global: global).run()
    }
    let connection = try await global.connect()
    let end = try await screen.run(on: connection)
    screen.say("the engine goes on with its jobs", after: end)
  }
}

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
    let connection = try await global.connect()
    let screen = MonitorScreen(global)
    guard screen.isPossible else {
      var watch = Watch()
      watch.global = global
      return try await watch.run()
    }
    let end = try await screen.run(on: connection)
    screen.say("the engine goes on with its jobs", after: end)
  }
}

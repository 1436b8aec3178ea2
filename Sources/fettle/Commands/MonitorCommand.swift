import ArgumentParser
import Glibc
import InstallJobs
import JobClient

/// The command `fettle monitor`, and `fettle` alone.
struct Monitor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The live screen of an engine's jobs (the default command).")

  @Flag(help: "One frame a second, no chart, no pulse; keys are answered at once.")
  var slowLink = false
  @OptionGroup var global: GlobalOptions

  func run() async throws {
    let screen = MonitorScreen(global, isSlowLink: slowLink)
    let reason = global.readOnlyReason(await MonitorPreferences().settings)
    let isReadOnly = reason != nil
    guard screen.isPossible else {
      guard PlainSession.isPossible else { return try await WatchRun(global: global).run() }
      let session = try await global.connect(isReadOnly: isReadOnly)
      let conversation = await PlainSession(session, readOnlyReason: reason) {
        () async throws(InstallationError) in
        try await global.connect(isReadOnly: isReadOnly)
      }
      return await conversation.run()
    }
    let session = try await global.connect(isReadOnly: isReadOnly)
    let end = try await screen.run(on: session) { () async throws(InstallationError) in
      try await global.connect(isReadOnly: isReadOnly)
    }
    screen.say("the engine goes on with its jobs", after: end)
  }
}

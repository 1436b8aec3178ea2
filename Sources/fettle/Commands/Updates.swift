import ArgumentParser
import InstallJobs
import JobClient
import JobScreen

/// The command `fettle updates`.
struct Updates: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "What could be upgraded, with origin and size, and why something is kept back.")

  @Flag(help: "First fetch the package index of the engine's root anew, with your own rights.")
  var refresh = false
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if refresh, global.readOnly {
      throw ValidationError("--read-only and --refresh exclude each other")
    }
  }

  func run() async throws {
    let backend = EngineBackend(try await global.connect())
    if refresh { try await fetchIndex(of: backend.status().engine) }
    let updates = try await backend.upgradableUpdates()
    guard json else { return Report.lines(UpdatesTable.lines(updates)) }
    try Report.json(updates)
  }

  private func fetchIndex(of engine: EngineStatus.Engine) throws(InstallationError) {
    guard engine.provider == "apt" else { return }
    let (status, words) = try EngineProgram.errors(of: ["root", "update", engine.root])
    guard status != 0 else { return }
    let said = words.split(separator: "\n").last { $0.hasPrefix("fettled: ") }
    let code: InstallationError.Code =
      ExitStatus(rawValue: status) == .notPermitted ? .notPermitted : .downloadFailed
    throw InstallationError(
      code, said.map { String($0.dropFirst("fettled: ".count)) } ?? "the index cannot be fetched",
      class: .transient)
  }
}

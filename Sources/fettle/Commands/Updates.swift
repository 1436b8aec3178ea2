import ArgumentParser
import InstallJobs
import JobClient
import JobText

/// The command `fettle updates`.
struct Updates: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "What could be upgraded, with origin and size, and why something is kept back.")

  @Flag(help: "First have the engine fetch the package index of its root anew.")
  var refresh = false
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var global: GlobalOptions

  func validate() throws {
    if refresh, global.readOnly {
      throw ValidationError("--read-only and --refresh exclude each other")
    }
  }

  func run() async throws {
    let session = try await global.connect()
    if refresh { try await session.refreshIndex() }
    let updates = try await session.upgradableUpdates()
    if json {
      try Report.json(updates)
    } else {
      Report.lines(UpdatesTable.lines(updates))
    }
    guard updates.contains(where: { $0.keptBack == PlannedUpdate.unplannable }) else { return }
    // Each row shows that it cannot be upgraded; the error prints the reason once.
    do throws(InstallationError) {
      _ = try await session.plan(JobRequest(.upgrade, []))
    } catch {
      Report.note("\(PlannedUpdate.unplannable): \(error)")
    }
  }
}

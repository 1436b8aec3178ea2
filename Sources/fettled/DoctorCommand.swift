import AptProvider
import ArgumentParser
import FoundationEssentials
import Glibc
import HostSystem
import InstallJobs
import JobEngine
import JobServer
import Settings

/// The command `fettled doctor`, which `fettle doctor` runs when no engine answers.
///
/// Prints the checkup as JSON; the exit status does not depend on its verdict.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Look at a package root and at a state folder; print JSON.",
    shouldDisplay: false)

  @Option(help: ArgumentHelp("The package root.", valueName: "folder")) var root: String?
  @Option(help: ArgumentHelp("The engine's state folder.", valueName: "folder"))
  var state: String?

  func run() async throws {
    let (root, state) = (root.map(AbsolutePath.of), state.map(AbsolutePath.of))
    let places = EnginePlaces()
    let checkup: Checkup
    do throws(InstallationError) {
      let settings = try places.readSettings()
      checkup = await Self.checkup(
        root: root ?? settings.engine.root ?? "/",
        stateFolder: places.state(option: state, settings))
    } catch {
      // No engine starts with such settings.
      checkup = Checkup(root: root ?? "/", findings: [Checkup.Finding(.engine, .fault, error)])
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    Output.answer(String(decoding: try encoder.encode(checkup), as: UTF8.self))
  }

  /// Checks root and state folder; a root that cannot be used is a finding, too.
  private static func checkup(root path: String, stateFolder: String) async -> Checkup {
    let root: PackageRoot
    do throws(InstallationError) {
      root = try PackageRoot(at: path)
    } catch {
      return Checkup(root: path, findings: [Checkup.Finding(.root, .fault, error)])
    }
    let provider = AptProvider(root: root, workerExecutable: "/proc/self/exe")
    return await .withoutEngine(
      provider, rootFindings: provider.checkupWithoutEngine(), stateFolder: stateFolder)
  }
}

import ArgumentParser
@unsafe @preconcurrency import Dispatch
import Glibc
import HostSystem
import InstallJobs
import JobServer

/// A command that gives rights up before anything else is done.
protocol RightsGiver {
  /// Gives them up for good; does nothing where nothing of the kind was asked for.
  func giveUpRights() throws(InstallationError)
}

/// The engine that the service runs, and its worker.
///
/// What people type is `fettle`.
@main
struct Fettled: AsyncParsableCommand {
  /// What was typed: `fettle` where that became this program, for `fettle engine` and `fettle root`.
  static let typedName =
    CommandLine.arguments.first?.split(separator: "/").last == "fettle" ? "fettle" : "fettled"

  static let configuration = CommandConfiguration(
    commandName: typedName,
    abstract: "The job engine behind fettle.", version: "0.1.0",
    subcommands: [
      EngineCommand.self, RootCommand.self, DoctorCommand.self, Work.self, Discard.self,
    ])

  /// Without a subcommand nothing is started: an engine changes packages of the machine.
  func run() async throws {
    throw ValidationError("no command is named: 'fettled engine' runs the engine")
  }

  /// Not asynchronous: what must be done by the process's first thread is done here.
  ///
  /// The asynchronous runtime ends that thread, and whoever looks at the process later sees the
  /// rights that the thread had then.
  static func main() {
    SpareMemory.shareOneArena()
    nameProcess()
    RootEnvironment.clear()
    do {
      try (parseAsRoot() as? any RightsGiver)?.giveUpRights()
    } catch {
      end(with: error)
    }
    Task { await runCommand() }
    dispatchMain()
  }

  /// Gives the process its name: a worker is started by way of `/proc/self/exe`, and whoever finds it
  /// at the package lock would be told of `exe`.
  private static func nameProcess() {
    let file = unsafe open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = unsafe "fettled".withCString { unsafe write(file, $0, 7) }
    close(file)
  }

  private static func runCommand() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      Glibc.exit(0)
    } catch {
      end(with: error)
    }
  }

  /// Ends with what went wrong, or with the help that was asked for.
  private static func end(with failure: any Error) -> Never {
    if let error = failure as? InstallationError { fail(error) }
    let status = exitCode(for: failure)
    guard !status.isSuccess else { exit(withError: failure) }
    guard status == .validationFailure else {
      Output.line(fullMessage(for: failure), to: STDERR_FILENO)
      Glibc.exit(status.rawValue)
    }
    // The argument parser's message, in the form of every other error.
    let said = message(for: failure).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let words = said.hasSuffix(".") ? said.dropLast() : said[...]
    let command = CommandLine.arguments.dropFirst().first { $0 == "engine" || $0 == "root" }
    fail(
      InstallationError(
        .invalidArgument, words.prefix(1).lowercased() + words.dropFirst(), class: .fatal,
        hint: "'\(([typedName, command].compactMap(\.self)).joined(separator: " ")) --help' lists"
          + " what it takes"))
  }

  /// Ends with one line and the exit status of the contract.
  private static func fail(_ error: InstallationError) -> Never {
    Output.line("\(typedName): \(error.description)", to: STDERR_FILENO)
    let status: Int32 =
      switch error.code {
      case .notPermitted: 6
      case .invalidArgument: 64
      case .busy: 8
      case .badRoot: 7
      case .downloadFailed, .sourceUnavailable: 7
      default: 1
      }
    Glibc.exit(status)
  }
}

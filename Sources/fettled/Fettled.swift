import ArgumentParser
@unsafe @preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import HostSystem
import InstallJobs
import JobServer

/// A command that gives up rights before it does anything else.
protocol PrivilegeDropping {
  /// Gives up the rights permanently; does nothing if the arguments do not ask for that.
  func dropPrivileges() throws(InstallationError)
}

/// The program `fettled`: the engine that the service runs, and its worker.
///
/// Users type `fettle`.
@main
struct Fettled: AsyncParsableCommand {
  /// The name of the typed program: `fettle` if that program replaced itself by this one, for
  /// `fettle engine` and `fettle root`.
  static let typedName =
    CommandLine.arguments.first?.split(separator: "/").last == "fettle" ? "fettle" : "fettled"

  static let configuration = CommandConfiguration(
    commandName: typedName,
    abstract: "The job engine behind fettle.", version: ProductVersion.text,
    subcommands: [
      EngineCommand.self, RootCommand.self, DoctorCommand.self, Work.self, Discard.self,
    ])

  /// Throws: without a subcommand nothing starts, since an engine changes packages of the machine.
  func run() async throws {
    throw ValidationError("no command is named: 'fettled engine' runs the engine")
  }

  /// Gives up rights on the process's first thread, then starts the command.
  ///
  /// This function is not asynchronous because the asynchronous runtime ends the first thread, and
  /// `/proc` then still shows the rights that this thread had.
  static func main() {
    HeapTrimmer.shareOneArena()
    nameProcess()
    RootEnvironment.clear()
    do {
      try (parseAsRoot() as? any PrivilegeDropping)?.dropPrivileges()
    } catch {
      end(with: error)
    }
    Task { await runCommand() }
    dispatchMain()
  }

  /// Sets the process name to `fettled`; a worker is started by `/proc/self/exe`, and reports about
  /// the lock holder would show `exe`.
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

  /// Ends the process with an error, or with the requested help.
  private static func end(with failure: any Error) -> Never {
    if let error = failure as? InstallationError { fail(error) }
    let status = exitCode(for: failure)
    guard !status.isSuccess else { exit(withError: failure) }
    guard status == .validationFailure else {
      Output.line(fullMessage(for: failure), to: STDERR_FILENO)
      Glibc.exit(status.rawValue)
    }
    // The argument parser's message, in the form of all other errors.
    let said = message(for: failure).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let words = said.hasSuffix(".") ? said.dropLast() : said[...]
    let command = CommandLine.arguments.dropFirst().first { $0 == "engine" || $0 == "root" }
    fail(
      InstallationError(
        .invalidArgument, words.prefix(1).lowercased() + words.dropFirst(), class: .fatal,
        hint: "'\(([typedName, command].compactMap(\.self)).joined(separator: " ")) --help' lists"
          + " what it takes"))
  }

  /// Prints one line and ends the process with the exit status of the error.
  private static func fail(_ error: InstallationError) -> Never {
    Output.line("\(typedName): \(error.description)", to: STDERR_FILENO)
    if CommandLine.arguments.contains("--until-input-ends"),
      let json = try? JSONEncoder().encode(error)
    {
      Output.line("failed " + String(decoding: json, as: UTF8.self), to: STDOUT_FILENO)
    }
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

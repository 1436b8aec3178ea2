import ArgumentParser
import Canvas
import FoundationEssentials
import Glibc
import InstallJobs
import JobText
import Monitor

/// Prints the output of commands: lines, JSON, and errors in one line with their exit status.
enum Report: Sendable {
  /// Prints one line to standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Rings the bell of the terminal on standard output.
  static func bell() { write("\u{7}", to: STDOUT_FILENO) }

  /// Prints lines to standard output.
  static func lines(_ lines: [String]) {
    if !lines.isEmpty { line(lines.joined(separator: "\n")) }
  }

  /// Prints a value as JSON in one line.
  static func json(_ value: some Encodable) throws(InstallationError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      throw InstallationError(.internal, "the answer cannot be written as JSON", class: .fatal)
    }
    line(escaped(String(decoding: data, as: UTF8.self)))
  }

  /// Returns JSON text with all characters escaped that would act on a terminal; they occur in
  /// strings only.
  ///
  /// The encoder escapes only the controls below 0x20, not the controls from 0x7F on and not the
  /// marks that change the direction of writing.
  private static func escaped(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
    var quiet = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        for unit in Character(scalar).utf16 {
          let digits = String(unit, radix: 16)
          quiet += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars
        }
      default: quiet.append(scalar)
      }
    }
    return String(quiet)
  }

  /// Ends the process with a status.
  static func exit(_ status: ExitStatus) -> Never { Glibc.exit(status.rawValue) }

  /// Ends the process because of an error: one line to standard error, or with `--json` an object
  /// to standard output.
  static func exit(withFailure failure: any Error) -> Never {
    if let error = failure as? InstallationError {
      write(error)
      exit(ExitStatus(error))
    }
    if let status = failure as? ExitStatus { exit(status) }
    let text = Fettle.fullMessage(for: failure)
    switch Fettle.exitCode(for: failure) {
    case .success:
      // Help, version and completions.
      if !text.isEmpty { line(text) }
      exit(.succeeded)
    case .validationFailure: exit(withFailure: usage(Fettle.message(for: failure)))
    default: Fettle.exit(withError: failure)
    }
  }

  /// Converts a message of the argument parser to an `invalidArgument` error.
  private static func usage(_ message: String) -> InstallationError {
    let said = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let words = said.hasSuffix(".") ? said.dropLast() : said[...]
    return InstallationError(
      .invalidArgument, words.prefix(1).lowercased() + words.dropFirst(), class: .fatal,
      hint: typedCommand.map { "'fettle \($0) --help' lists its options" }
        ?? "'fettle --help' lists commands and options")
  }

  /// Completes the commands in a monitor's hints; nil when the engine's text needs no change.
  static var advice: (@Sendable (String) -> String)? {
    let isOwn =
      typedCommand == Try.commandNameTyped
      || AddressedCommand.socket(in: CommandLine.arguments) != nil
    guard isOwn else { return nil }
    return { addressed($0) }
  }

  // The first argument that is a command's name.
  private static var typedCommand: String? {
    CommandLine.arguments.dropFirst().first(where: Fettle.commandNames.contains)
  }

  /// An error in JSON.
  struct Failure: Encodable {
    /// The content of the error.
    struct Body: Encodable {
      /// The error code.
      let code: String
      /// The message.
      let message: String
      /// The hint.
      let hint: String?

      init(_ error: InstallationError) {
        code = error.code.rawValue
        message = error.message
        hint = error.advised(addressed).hint
      }
    }

    var error: Body
  }

  /// Prints an error without ending the process.
  static func write(_ error: InstallationError) {
    if CommandLine.arguments.contains("--json") {
      try? json(Failure(error: Failure.Body(error)))
    } else {
      write("fettle: \(sanitize(error.advised(addressed).description))\n", to: STDERR_FILENO)
    }
  }

  /// Completes the commands in a text: adds the typed `--socket`, or in a try removes commands for
  /// other engines.
  static func addressed(_ text: String) -> String {
    let verbs = Fettle.commandNames.subtracting(["engine", "root", "theme", "try"])
    guard typedCommand != Try.commandNameTyped else {
      return TryAdvice.removingForeignCommands(text, verbs: verbs)
    }
    return AddressedCommand.addingSocket(
      text, socket: AddressedCommand.socket(in: CommandLine.arguments), verbs: verbs)
  }

  /// Prints a message on standard error.
  static func note(_ text: String) {
    write("fettle: \(sanitize(addressed(text)))\n", to: STDERR_FILENO)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, -1)
        continue
      }
      guard count > 0 else { return unwritten(errno, descriptor) }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Ends the process when standard output cannot be written, so that a script does not mistake
  /// missing output for success.
  private static func unwritten(_ code: Int32, _ descriptor: Int32) {
    guard descriptor == STDOUT_FILENO else { return }
    if code == EPIPE {
      // The reader closed the pipe. End by SIGPIPE, as the process would if the signal were not
      // ignored.
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    let reason = unsafe String(cString: strerror(code))
    note("cannot write to standard output: \(reason) (a job that was submitted goes on)")
    exit(.failed)
  }
}

extension ExitStatus: Error {}

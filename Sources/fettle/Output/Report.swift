import ArgumentParser
import Canvas
import FoundationEssentials
import Glibc
import InstallJobs
import JobScreen

/// What commands print: lines, JSON, and errors in one line with the contract's exit status.
enum Report: Sendable {
  /// Prints one line to standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Rings the bell of the terminal that standard output is.
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
    line(quiet(String(decoding: data, as: UTF8.self)))
  }

  /// JSON in which whatever would act on a terminal is escaped; such text stands in strings only.
  ///
  /// The encoder escapes the controls below 0x20 alone, not those from 0x7F on, nor the marks that
  /// turn the direction of writing.
  private static func quiet(_ text: String) -> String {
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

  /// What the argument parser has to say, as an error of the contract.
  private static func usage(_ message: String) -> InstallationError {
    let said = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let words = said.hasSuffix(".") ? said.dropLast() : said[...]
    return InstallationError(
      .invalidArgument, words.prefix(1).lowercased() + words.dropFirst(), class: .fatal,
      hint: typedCommand.map { "'fettle \($0) --help' lists its options" }
        ?? "'fettle --help' lists commands and options")
  }

  /// How a monitor spells what is advised; nil where that is as the engine does.
  static var advice: (@Sendable (String) -> String)? {
    let isOwn =
      typedCommand == Try.commandNameTyped
      || AddressedCommand.socket(in: CommandLine.arguments) != nil
    guard isOwn else { return nil }
    return { addressed($0) }
  }

  // The first word that is a command's name.
  private static var typedCommand: String? {
    CommandLine.arguments.dropFirst().first(where: Fettle.commandNames.contains)
  }

  /// An error as JSON tells it.
  struct Failure: Encodable {
    /// What happened, and what to do about it.
    struct Body: Encodable {
      /// The word of the contract for what happened.
      let code: String
      /// What happened, for people.
      let message: String
      /// What to do about it.
      let hint: String?

      init(_ error: InstallationError) {
        code = error.code.rawValue
        message = error.message
        hint = error.advised(addressed).hint
      }
    }

    var error: Body
  }

  /// Tells an error without ending the process.
  static func write(_ error: InstallationError) {
    if CommandLine.arguments.contains("--json") {
      try? json(Failure(error: Failure.Body(error)))
    } else {
      write("fettle: \(sanitize(error.advised(addressed).description))\n", to: STDERR_FILENO)
    }
  }

  /// A text with the commands that it advises as they must be typed: with the engine that `--socket`
  /// names, and in a try none that would be for others.
  static func addressed(_ text: String) -> String {
    let verbs = Fettle.commandNames.subtracting(["engine", "root", "theme", "try"])
    guard typedCommand != Try.commandNameTyped else {
      return TryAdvice.spelled(text, verbs: verbs)
    }
    return AddressedCommand.spelled(
      text, socket: AddressedCommand.socket(in: CommandLine.arguments), verbs: verbs)
  }

  /// Tells something on standard error.
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

  /// Ends the process because its output goes nowhere: a script must not take silence for success.
  private static func unwritten(_ code: Int32, _ descriptor: Int32) {
    guard descriptor == STDOUT_FILENO else { return }
    if code == EPIPE {
      // The reader has seen enough. This is how it would have ended had nobody ignored the signal.
      signal(SIGPIPE, SIG_DFL)
      raise(SIGPIPE)
    }
    let reason = unsafe String(cString: strerror(code))
    note("cannot write to standard output: \(reason) (a job that was submitted goes on)")
    exit(.failed)
  }
}

extension ExitStatus: Error {}

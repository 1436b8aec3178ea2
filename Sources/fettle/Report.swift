import ArgumentParser
import Canvas
import FoundationEssentials
import Glibc
import InstallJobs

/// What commands print: lines, JSON, and errors in one line with the contract's exit status.
enum Report: Sendable {
  /// Prints one line to standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

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
    line(String(decoding: data, as: UTF8.self))
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
    // Usage, help and version: the argument parser's own text, 64 for errors.
    Fettle.exit(withError: failure)
  }

  private struct Failure: Encodable {
    struct Body: Encodable {
      var code: String
      var message: String
      var hint: String?
    }

    var error: Body
  }

  /// Tells an error without ending the process.
  static func write(_ error: InstallationError) {
    if CommandLine.arguments.contains("--json") {
      let body = Failure.Body(
        code: error.code.rawValue, message: error.message, hint: error.hint)
      try? json(Failure(error: body))
    } else {
      write("fettle: \(sanitize(error.description))\n", to: STDERR_FILENO)
    }
  }

  /// Tells something on standard error.
  static func note(_ text: String) { write("fettle: \(sanitize(text))\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      // Whoever read this is gone: there is nobody left to tell.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

extension ExitStatus: Error {}

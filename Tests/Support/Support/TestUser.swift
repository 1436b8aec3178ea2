internal import FoundationEssentials
internal import Glibc
internal import Subprocess
internal import SystemPackage

/// The user as whom tests run package tools: never root, because package scripts of a private root
/// run without chroot.
package enum TestUser {
  /// This user, or for root the first user id from 61,234 on that nobody has.
  package static let id: UInt32 = {
    guard geteuid() == 0 else { return geteuid() }
    var candidate: UInt32 = 61_234
    while unsafe getpwuid(candidate) != nil { candidate += 1 }
    return candidate
  }()

  /// The command in front of which others run as ``id``; empty when no change is needed.
  package static var prefix: [String] {
    guard geteuid() == 0 else { return [] }
    return ["/usr/bin/setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups", "--"]
  }

  /// Runs a command as this user and collects what it says.
  ///
  /// - Parameters:
  ///   - command: The program's absolute path and its arguments.
  ///   - environment: The whole environment of the program.
  /// - Returns: Exit status and output; 128 + n for signal n.
  /// - Throws: What prevented the start, and output beyond 16 MiB.
  package static func run(_ command: [String], environment: [String: String] = ToolOutput.plain)
    async throws -> ToolOutput
  {
    try await ToolOutput.of(prefix + command, environment: environment)
  }
}

/// What a command left behind.
package struct ToolOutput: Sendable {
  /// The exit status; 128 + n for signal n.
  package var status: Int32
  package var output: String
  package var errors: String

  /// An environment in which package tools speak the C locale and ask nothing.
  package static let plain = [
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/",
    "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
  ].merging(sanitizers) { $1 }

  /// What a sanitizer is told, for the programs that were built with it, too.
  package static let sanitizers = ProcessInfo.processInfo.environment.filter {
    ["TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
  }

  /// Runs a command as the user of the test process.
  package static func of(_ command: [String], environment: [String: String] = ToolOutput.plain)
    async throws -> ToolOutput
  {
    guard let program = command.first else { throw FixtureError("an empty command") }
    var values: [Environment.Key: String] = [:]
    for (name, value) in environment {
      guard let key = Environment.Key(rawValue: name) else { continue }
      values[key] = value
    }
    let result = try await Subprocess.run(
      .path(.init(program)), arguments: Arguments(Array(command.dropFirst())),
      environment: .custom(values), output: .string(limit: 1 << 24), error: .string(limit: 1 << 24))
    let status: Int32 =
      switch result.terminationStatus {
      case .exited(let code): code
      case .signaled(let signal): 128 + signal
      }
    return ToolOutput(
      status: status, output: result.standardOutput, errors: result.standardError)
  }

  /// Throws what the command said unless it succeeded.
  package func expectSuccess(_ what: String) throws {
    guard status != 0 else { return }
    throw FixtureError("\(what) ended with \(status): \(errors)\(output)")
  }
}

/// A fixture that cannot be made: the test's surroundings are broken, not what it tests.
package struct FixtureError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

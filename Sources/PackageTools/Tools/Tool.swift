internal import InstallJobs
internal import Subprocess
internal import SystemPackage

/// A program of the package system, run to its end with bounded output.
///
/// For looking only: what changes packages is run by the worker, whose output goes to files.
struct Tool: Sendable {
  /// What a run left behind.
  struct Run: Sendable {
    /// The exit status; 128 + n for signal n.
    var status: Int32
    var output: String
    var errors: String

    /// Output cut at line feeds only.
    var lines: [Substring] {
      output.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The messages of apt that say why: lines with `E: ` in front, sanitised.
    var complaints: [String] {
      errors.split(separator: "\n").filter { $0.hasPrefix("E: ") }
        .map { Sanitised.line($0.dropFirst(3)) }
    }
  }

  /// An environment for tools that need no configuration.
  static let plain = [
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/",
  ]

  /// Bytes of output above which a run fails; the index of a whole distribution has 60 MB.
  static let outputLimit = 1 << 27

  let path: String

  init(_ path: String) { self.path = path }

  /// Runs the program.
  ///
  /// - Throws: `internal` when it cannot be started or says more than ``outputLimit``.
  func run(_ arguments: [String], environment: [String: String])
    async throws(InstallationError) -> Run
  {
    var values: [Environment.Key: String] = [:]
    for (name, value) in environment {
      guard let key = Environment.Key(rawValue: name) else { continue }
      values[key] = value
    }
    do {
      let result = try await Subprocess.run(
        .path(FilePath(path)), arguments: Arguments(arguments), environment: .custom(values),
        output: .bytes(limit: Self.outputLimit), error: .bytes(limit: 1 << 22))
      let status: Int32 =
        switch result.terminationStatus {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
      return Run(
        status: status, output: String(decoding: result.standardOutput, as: UTF8.self),
        errors: String(decoding: result.standardError, as: UTF8.self))
    } catch {
      throw InstallationError(
        .internal, "cannot run \(path): \(Sanitised.line("\(error)"))",
        hint: "check that it is installed and executable")
    }
  }

  /// Does two things at once; of two errors the first one's is thrown.
  static func both<First: Sendable, Second: Sendable>(
    _ first: @escaping @Sendable () async throws(InstallationError) -> First,
    _ second: @escaping @Sendable () async throws(InstallationError) -> Second
  ) async throws(InstallationError) -> (First, Second) {
    async let left = outcome(first)
    async let right = outcome(second)
    let outcomes = await (left, right)
    return (try outcomes.0.get(), try outcomes.1.get())
  }

  private static func outcome<Value: Sendable>(
    _ body: @Sendable () async throws(InstallationError) -> Value
  ) async -> Result<Value, InstallationError> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

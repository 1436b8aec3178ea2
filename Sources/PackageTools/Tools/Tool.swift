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
  /// Bytes of messages above which a run fails.
  static let errorLimit = 1 << 22

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
      // Collected here: Subprocess sets aside for each run as much as it may say at most, and what
      // is set aside and freed again and again leaves the heap in pieces that cannot be given back.
      let result = try await Subprocess.run(
        .path(FilePath(path)), arguments: Arguments(arguments), environment: .custom(values),
        input: .none, output: .sequence, error: .sequence
      ) { execution in
        try await Self.texts(of: execution.standardOutput, and: execution.standardError)
      }
      let status: Int32 =
        switch result.terminationStatus {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
      let said = result.closureResult
      return Run(status: status, output: said.output, errors: said.errors)
    } catch {
      throw InstallationError(
        .internal, "cannot run \(path): \(Sanitised.line("\(error)"))",
        hint: "check that it is installed and executable")
    }
  }

  /// What a program says while it runs.
  ///
  /// - Throws: ``SaysTooMuch`` as soon as one of them is above its limit; the program is ended then.
  private static func texts(
    of output: SubprocessOutputSequence, and errors: SubprocessOutputSequence
  ) async throws -> (output: String, errors: String) {
    try await withThrowingTaskGroup(of: (isOutput: Bool, text: String).self) { group in
      group.addTask { (true, try await text(of: output, limit: outputLimit)) }
      group.addTask { (false, try await text(of: errors, limit: errorLimit)) }
      var texts = (output: "", errors: "")
      for try await (isOutput, text) in group {
        if isOutput { texts.output = text } else { texts.errors = text }
      }
      return texts
    }
  }

  private static func text(
    of sequence: SubprocessOutputSequence, limit: Int
  ) async throws -> String {
    var bytes: [UInt8] = []
    for try await piece in sequence {
      guard bytes.count + piece.count <= limit else { throw SaysTooMuch(limit: limit) }
      unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private struct SaysTooMuch: Error, CustomStringConvertible {
    var limit: Int
    var description: String { "it says more than \(limit) bytes" }
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

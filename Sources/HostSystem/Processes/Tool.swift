internal import Glibc
package import InstallJobs

/// A program of the package system that runs to its end with bounded output and bounded time.
///
/// Only for programs that read, except with ``Limits/none``: the worker runs the programs that
/// change packages, with their output going to files.
package struct Tool: Sendable {
  /// The result of a run.
  package struct Run: Sendable {
    /// The exit status; 128 + n for signal n, which only a run with ``Limits/none`` has.
    package var status: Int32
    /// Standard output, at most ``Tool/outputLimit`` bytes.
    package var output: String
    /// Standard error, at most ``Tool/errorLimit`` bytes.
    package var errors: String

    /// The output split at line feeds only.
    package var lines: [Substring] {
      output.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// apt's error messages: lines that begin with `E: `, without this prefix, sanitised.
    package var complaints: [String] {
      errors.split(separator: "\n").filter { $0.hasPrefix("E: ") }
        .map { Sanitised.line($0.dropFirst(3)) }
    }
  }

  /// An environment for tools that need no configuration.
  package static let plain = [
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/",
  ]

  /// Bytes of output above which a run fails; the package index of a whole distribution has 60 MB.
  static let outputLimit = 1 << 27
  /// Bytes of standard error above which a run fails.
  static let errorLimit = 1 << 22

  /// The time limit of a run and the conditions that end it early.
  package struct Limits: Sendable {
    /// The time-out in seconds; nil for none.
    package var seconds: Double?
    /// Whether the run is ended when its task is cancelled.
    package var isCancellable = true
    /// Whether the program's process group is killed with the program's end, and the program when
    /// its output is too long.
    ///
    /// If false, output beyond the limit is dropped.
    package var endsGroup = true
    /// The signal that ends the group.
    ///
    /// A test sets a signal that does not end the program, to simulate a program that waits for a
    /// disk.
    package var signal = SIGKILL

    /// For programs that only read; planning on a slow machine takes less than a minute.
    package static let looking = Limits(seconds: 120)
    /// For programs that read a whole archive, which may have gigabytes.
    package static let readingArchive = Limits(seconds: 900)
    /// For programs that fetch; the caller has its own time-out.
    package static let fetching = Limits(seconds: 24 * 3600)
    /// For programs that change packages: killing one would leave packages half-installed.
    package static let none = Limits(seconds: nil, isCancellable: false, endsGroup: false)
  }

  /// The program's absolute path.
  package let path: String

  /// Names the program at an absolute path.
  package init(_ path: String) { self.path = path }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the path.
  ///   - environment: The whole environment.
  ///   - purpose: The purpose of the run in error messages, to complete "it was run to".
  ///   - limits: The limits of the run. At the time-out the whole process group is killed.
  /// - Returns: The exit status and the output.
  /// - Throws: `timedOut` at the time-out; `cancelled` when the task was cancelled; `internal` when
  ///   the program cannot be started, is ended by a signal (its output is then incomplete) or
  ///   prints more than ``outputLimit``, and while too many killed programs have not ended.
  package func run(
    _ arguments: [String], environment: [String: String], to purpose: String = "read packages",
    limits: Limits = .looking
  ) async throws(InstallationError) -> Run {
    let call = ToolCall([path] + arguments, environment: environment, limits: limits)
    func unusable(_ reason: String) -> InstallationError {
      InstallationError(
        .internal, "cannot run \(path): \(Sanitised.line(reason))",
        hint: "check that it is installed and executable")
    }
    switch await call.end() {
    case .ended(let run):
      guard limits.endsGroup, Self.signals.contains(run.status) else { return run }
      throw InstallationError(
        .internal,
        "\(path) was ended by signal \(run.status - 128); it was run to \(purpose)",
        class: .transient,
        hint: "check the machine's log and its memory; then try again")
    case .failed(let reason): throw unusable(reason)
    case .saidTooMuch(let limit): throw unusable("it says more than \(limit) bytes")
    case .tooManyRemain(let count):
      throw InstallationError(
        .internal, "cannot run \(path): \(count) programs that were killed have not ended",
        class: .transient, hint: "check that the disks of this machine answer; then try again")
    case .timedOut(let remaining):
      let outcome =
        remaining.map { "and has not ended since it was killed (pid \($0))" } ?? "and was ended"
      throw InstallationError(
        .timedOut,
        "\(path) did not end within \(Int(limits.seconds ?? 0)) seconds \(outcome); it was run to"
          + " \(purpose)", class: .transient,
        hint: "check that the disks of the package root answer, and the settings of apt there"
          + " (solver, mirror lists); then try again")
    case .cancelled:
      throw InstallationError(
        .cancelled, "\(path) was ended: nobody waits for its answer", class: .transient)
    }
  }

  /// The exit statuses for an end by a signal.
  private static let signals: ClosedRange<Int32> = 129...(128 + 64)

  /// Runs two functions concurrently; if both throw, the error of the first is thrown.
  package static func both<First: Sendable, Second: Sendable>(
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

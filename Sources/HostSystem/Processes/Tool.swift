internal import Glibc
package import InstallJobs

/// A program of the package system, run to its end with bounded output and in bounded time.
///
/// For looking only, save with ``Limits/none``: what changes packages is run by the worker, whose output
/// goes to files.
package struct Tool: Sendable {
  /// What a run left behind.
  package struct Run: Sendable {
    /// The exit status; 128 + n for signal n, which only a run with ``Limits/none`` has.
    package var status: Int32
    package var output: String
    package var errors: String

    /// Output cut at line feeds only.
    package var lines: [Substring] {
      output.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The messages of apt that say why: lines with `E: ` in front, sanitised.
    package var complaints: [String] {
      errors.split(separator: "\n").filter { $0.hasPrefix("E: ") }
        .map { Sanitised.line($0.dropFirst(3)) }
    }
  }

  /// An environment for tools that need no configuration.
  package static let plain = [
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/",
  ]

  /// Bytes of output above which a run fails; the index of a whole distribution has 60 MB.
  static let outputLimit = 1 << 27
  /// Bytes of messages above which a run fails.
  static let errorLimit = 1 << 22

  /// How long a run may go on, and what ends it.
  package struct Limits: Sendable {
    /// The longest run in seconds; nil for no limit.
    package var seconds: Double?
    /// Whether the run is ended when its task is cancelled.
    package var isCancellable = true
    /// Whether what the program leaves running in its process group is ended with it, and the program
    /// when it says too much; what it says beyond that is dropped otherwise.
    package var endsGroup = true
    /// The signal that ends the group.
    ///
    /// A test has a program that does not end by it, as one that waits
    /// for a disk does not.
    package var signal = SIGKILL

    /// For programs that only read: planning on a slow machine takes less than a minute.
    package static let looking = Limits(seconds: 120)
    /// For programs that read a whole archive, which may have gigabytes.
    package static let readingArchive = Limits(seconds: 900)
    /// For programs that fetch; whoever has them run has a limit of its own.
    package static let fetching = Limits(seconds: 24 * 3600)
    /// For programs that change packages: ended early, they would leave them half done.
    package static let none = Limits(seconds: nil, isCancellable: false, endsGroup: false)
  }

  package let path: String

  package init(_ path: String) { self.path = path }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - arguments: What comes after its path.
  ///   - environment: The whole environment.
  ///   - purpose: What it is run for, to complete "it was run to".
  ///   - limits: How long it may go on. It is ended then with its whole process group.
  /// - Returns: Its exit status and what it said.
  /// - Throws: `timedOut` when it took too long; `cancelled` when the task was; `internal`
  ///   when it cannot be started, is ended by a signal (its answer is no answer then) or says more than
  ///   ``outputLimit``, and while too many programs that were killed have not ended.
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

  /// The statuses that stand for the end by a signal.
  private static let signals: ClosedRange<Int32> = 129...(128 + 64)

  /// Does two things at once; of two errors the first one's is thrown.
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

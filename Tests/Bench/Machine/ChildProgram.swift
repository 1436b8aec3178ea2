internal import Glibc
internal import Synchronization

/// A program without a terminal, its output in a file; ended with the value.
final class ChildProgram: Sendable {
  /// Its process.
  let process: pid_t
  /// The file with what it wrote to standard output and standard error.
  let log: String
  /// Its executable's path.
  let name: String
  private let ending = Mutex<Int32?>(nil)

  /// Starts a program as the leader of a session.
  ///
  /// - Parameters:
  ///   - words: The executable's absolute path, then its arguments.
  ///   - environment: All of its environment.
  ///   - log: Where its output goes, replacing what is there.
  /// - Throws: ``CannotMeasure`` when it cannot be started.
  init(_ words: [String], environment: [String: String], log: String) throws(CannotMeasure) {
    self.log = log
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, 1, log, flags, 0o644)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = SpawnAttributes.fresh(inNewSession: true)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      let texts = unsafe arguments + variables
      for index in unsafe texts.indices { unsafe free(texts[index]) }
    }
    var process: pid_t = 0
    let path = words.first ?? ""
    name = path
    let result = unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw CannotMeasure("cannot start '\(path)'") }
    self.process = process
  }

  deinit { kill() }

  /// What it wrote up to now.
  var output: String { SmallFile.text(log) ?? "" }

  /// How it ended: the exit status, 128 + n for signal n; nil while it runs.
  var status: Int32? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard unsafe waitpid(process, &status, WNOHANG) == process else { return nil }
      let signal = status & 0x7F
      ending = signal == 0 ? status >> 8 & 0xFF : 128 + signal
      return ending
    }
  }

  /// Waits for its end, blocking the thread.
  @discardableResult
  func wait() -> Int32 {
    while true {
      if let status { return status }
      // Leaves it to be waited for: until then its number is nobody else's.
      var information = unsafe siginfo_t()
      unsafe waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT)
    }
  }

  /// Sends a signal, unless it is over.
  ///
  /// - Returns: Whether it was still running.
  @discardableResult
  func signal(_ number: Int32) -> Bool {
    status == nil && Glibc.kill(process, number) == 0
  }

  /// Kills it and waits for its end.
  ///
  /// - Returns: Whether it was still running.
  @discardableResult
  func kill() -> Bool {
    let isRunning = signal(SIGKILL)
    wait()
    return isRunning
  }

  /// Kills it with all that it has started in its own process group.
  func killSession() {
    if status == nil { Glibc.kill(-process, SIGKILL) }
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - words: The executable's absolute path, then its arguments.
  ///   - environment: All of its environment.
  ///   - log: A file for its output, which is removed.
  /// - Returns: What it wrote.
  /// - Throws: ``CannotMeasure`` when it cannot be started or fails.
  static func run(
    _ words: [String], environment: [String: String], log: String
  ) async throws -> String {
    try await onOwnThread {
      let program = try ChildProgram(words, environment: environment, log: log)
      let status = program.wait()
      let output = program.output
      unsafe unlink(log)
      guard status == 0 else {
        let words = words.joined(separator: " ")
        throw CannotMeasure("'\(words)' ended with \(status): \(output.suffix(500))")
      }
      return output
    }
  }
}

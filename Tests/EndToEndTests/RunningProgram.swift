import Glibc
import Support
import Synchronization

/// A program started by a test, with its output in files; killed with the value.
final class RunningProgram: Sendable {
  let pid: pid_t
  private let stem: String
  private let end = Mutex<Int32?>(nil)

  /// Starts a program as the test user.
  ///
  /// - Parameters:
  ///   - command: The program's absolute path and its arguments.
  ///   - environment: The whole environment.
  ///   - stem: Where its output goes: `.out` and `.err` are put behind it.
  ///   - prefix: What comes before the command, to run it as somebody else.
  /// - Throws: `FixtureError` when it cannot be started.
  init(
    _ command: [String], environment: [String: String], stem: String,
    prefix: [String] = TestUser.prefix
  ) throws {
    self.stem = stem
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, stem + ".out", flags, 0o644)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, stem + ".err", flags, 0o644)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let words = prefix + command
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      let texts = unsafe arguments + variables
      for index in unsafe texts.indices { unsafe free(texts[index]) }
    }
    var pid: pid_t = 0
    let result = unsafe posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw FixtureError("cannot start \(words[0])") }
    self.pid = pid
  }

  deinit {
    if poll() == nil {
      kill(pid, SIGKILL)
      var status: Int32 = 0
      while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
  }

  /// What it wrote to standard output up to now.
  var output: String { TestFolder.text(of: stem + ".out") ?? "" }
  /// What it wrote to standard error up to now.
  var errors: String { TestFolder.text(of: stem + ".err") ?? "" }
  /// The complete lines of ``output``.
  var lines: [String] {
    let text = output
    let whole = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
    return whole.split(separator: "\n").map(String.init)
  }

  /// Sends it a signal, unless it is over.
  func signal(_ signal: Int32) { if poll() == nil { kill(pid, signal) } }

  /// Waits until it is over.
  ///
  /// - Returns: Its exit status; 128 + n for signal n.
  func status(within bound: Duration = .seconds(240)) async throws -> Int32 {
    try await eventually("the end of the program", within: bound) { poll() }
  }

  /// Waits for something it prints.
  func until(
    _ what: String, within bound: Duration = .seconds(240),
    _ condition: ([String]) throws -> Bool
  ) async throws {
    var seen = -1
    try await eventually("'\(what)' in the output", within: bound) {
      var record = stat()
      _ = unsafe stat(stem + ".out", &record)
      if record.st_size > seen {
        seen = record.st_size
        if try condition(lines) { return true }
      }
      if let status = poll() {
        if try condition(lines) { return true }
        throw FixtureError("ended with \(status) before '\(what)': \(output)\(errors)")
      }
      return false
    }
  }

  private func poll() -> Int32? {
    end.withLock { end in
      if let end { return end }
      var status: Int32 = 0
      guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
      let signal = status & 0x7F
      end = signal == 0 ? status >> 8 & 0xFF : 128 + signal
      return end
    }
  }
}

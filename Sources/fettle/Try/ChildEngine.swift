import CProcess
import FoundationEssentials
import Glibc
import InstallJobs
import Synchronization

/// The engine of `fettle try`: a child process that ends with this process.
///
/// It runs in its own session, so that Ctrl-C in the terminal does not reach it. When the pipe to
/// its standard input ends, also because this process was killed, it aborts its jobs and exits.
final class ChildEngine: Sendable {
  private struct Running {
    var pid: pid_t
    var lifeline: Int32
    /// Read end of its standard output: the lines `index` while it fetches the index, `ready`,
    /// `played`; or `failed` with the error as JSON.
    var words: Int32
  }

  private let arguments: [String]
  /// Its standard error, kept open here because the engine may remove the file with its folder.
  private let errors: Int32
  private let state: Mutex<Running?>

  /// Starts `fettled engine` and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after `engine`.
  ///   - playing: Further arguments of the first start only.
  ///   - errors: Path of the file for its standard error.
  ///   - isFetching: Called when the engine begins to fetch the package index.
  /// - Throws: The engine's error when it did not start.
  init(
    _ arguments: [String], playing: [String], errors: String, isFetching: () -> Void
  ) throws(InstallationError) {
    self.arguments = arguments
    self.errors = unsafe open(errors, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    state = Mutex(nil)
    let running = try Self.start(arguments + playing, errors: self.errors)
    state.withLock { $0 = running }
    var word = Self.line(running.words)
    if word == "index" {
      isFetching()
      word = Self.line(running.words)
    }
    guard word == "ready" else { throw failure(word) }
  }

  /// Restarts the engine on the same folders if it has exited; its workers continue meanwhile.
  ///
  /// - Throws: The engine's error when it did not start.
  func restartIfExited() throws(InstallationError) {
    guard let old = state.withLock({ $0 }) else { return }
    var status: Int32 = 0
    guard unsafe waitpid(old.pid, &status, WNOHANG) == old.pid else { return }
    close(old.lifeline)
    close(old.words)
    state.withLock { $0 = nil }
    try startAgain()
  }

  /// Starts the engine again after ``end(_:)``, because its folder was not removed.
  ///
  /// - Throws: The engine's error when it did not start.
  func restartAfterEnd() throws(InstallationError) {
    guard state.withLock({ $0 == nil }) else { return }
    try startAgain()
  }

  private func startAgain() throws(InstallationError) {
    let running = try Self.start(arguments, errors: errors)
    state.withLock { $0 = running }
    let word = Self.line(running.words)
    guard word == "ready" else { throw failure(word) }
  }

  /// Waits until the engine has submitted the last of the scenario's jobs; blocks the thread.
  func waitUntilPlayed() {
    guard let running = state.withLock({ $0 }) else { return }
    while case let word = Self.line(running.words), word != "played", !word.isEmpty {}
  }

  /// Ends the engine and waits for its exit.
  ///
  /// - Parameter report: Called with one line for each process or file that package scripts left
  ///   and the engine removed.
  /// - Returns: The exit status; nil when a signal killed the engine.
  @discardableResult
  func end(_ report: (String) -> Void = { _ in }) -> Int32? {
    let running = state.withLock { state in
      defer { state = nil }
      return state
    }
    guard let running else { return nil }
    close(running.lifeline)
    var status: Int32 = 0
    while unsafe waitpid(running.pid, &status, 0) < 0 && errno == EINTR {}
    // The engine's output is complete; other processes may still hold the pipe open, so this must
    // not block.
    _ = fcntl(running.words, F_SETFL, O_NONBLOCK)
    while case let line = Self.line(running.words), !line.isEmpty {
      if line.hasPrefix("left ") { report(String(line.dropFirst(5))) }
    }
    close(running.words)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  deinit { close(errors) }

  /// Ends the engine, whose last line was `word`, and returns why it did not start.
  private func failure(_ word: String) -> InstallationError {
    end()
    if word.hasPrefix("failed "),
      let error = try? JSONDecoder().decode(
        InstallationError.self, from: Data(word.utf8.dropFirst(7)))
    {
      return error
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe pread(errors, $0.baseAddress, $0.count, 0)
    }
    return InstallationError(
      .internal, "the engine did not come up",
      detail: String(decoding: buffer[..<max(0, count)], as: UTF8.self))
  }

  // MARK: Processes

  private static func start(
    _ arguments: [String], errors: Int32
  ) throws(InstallationError) -> Running {
    let path = try EngineProgram.path()
    guard let input = Self.pipe(), let output = Self.pipe() else {
      throw InstallationError(.internal, "no descriptors are left", class: .transient)
    }
    let pid = spawn(
      path, ["engine"] + arguments + ["--until-input-ends"], input: input.read,
      output: output.write, errors: errors)
    close(input.read)
    close(output.write)
    guard pid > 0 else {
      close(input.write)
      close(output.read)
      throw InstallationError(
        .engineUnreachable, "cannot run '\(path)'", class: .fatal, hint: "check its rights")
    }
    return Running(pid: pid, lifeline: input.write, words: output.read)
  }

  /// Opens a pipe whose ends close on exec; nil when no descriptor is free.
  static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe_open(&ends) == 0 else { return nil }
    return (ends[0], ends[1])
  }

  // POSIX_SPAWN_SETSID; the C library declares it only under _GNU_SOURCE.
  private static let newSession: Int16 = 0x80

  private static func spawn(
    _ path: String, _ arguments: [String], input: Int32, output: Int32, errors: Int32
  ) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    // This process may ignore SIGINT; if apt inherited that, it would ignore the signal that stops
    // it.
    var usual = sigset_t()
    unsafe sigemptyset(&usual)
    unsafe sigaddset(&usual, SIGINT)
    unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
    unsafe posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF))
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    // Other inherited descriptors are closed: the engine outlives the terminal.
    unsafe spawn_close_from(&actions, 3)
    var pid: pid_t = -1
    unsafe EngineProgram.withArguments([path] + arguments) { pointers in
      if unsafe posix_spawn(&pid, path, &actions, &attributes, pointers, environ) != 0 { pid = -1 }
    }
    return pid
  }

  /// Reads one line of the pipe; empty at its end.
  private static func line(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 65_536 {
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, byte != 0x0A else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

import Dispatch
package import Glibc

/// A program in a session of its own, with a pseudo-terminal as controlling terminal.
package struct TerminalProgram: Sendable {
  /// How a program ended.
  package enum End: Sendable, Hashable {
    /// It exited with this status.
    case exit(Int32)
    /// This signal killed it.
    case signal(Int32)
  }

  /// Its process.
  package let process: pid_t

  /// Starts an executable on a terminal; the environment is the one given, and what sanitizers are told.
  package init(
    _ path: String, _ words: [String] = [], on terminal: PseudoTerminal,
    environment: [String: String]
  ) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens becomes its controlling terminal.
    unsafe posix_spawn_file_actions_addopen(&actions, 0, terminal.path, O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(0x80 | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    // What a shell in the background, or nohup, has ignored would stay so.
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
    let environment = environment.merging(ToolOutput.sanitizers) { mine, _ in mine }
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      let texts = unsafe arguments + variables
      for index in unsafe texts.indices { unsafe free(texts[index]) }
    }
    var process: pid_t = 0
    let result = unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, &variables)
    precondition(result == 0, "\(path) can be started")
    self.process = process
  }

  /// Sends it a signal.
  package func signal(_ signal: Int32) { kill(process, signal) }

  /// Waits for its end, which cancellation brings about.
  package func end() async -> End {
    let process = process
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "end of a program").async {
          var status: Int32 = 0
          while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
          let signal = status & 0x7f
          continuation.resume(returning: signal == 0 ? .exit(status >> 8 & 0xff) : .signal(signal))
        }
      }
    } onCancel: {
      kill(process, SIGKILL)
    }
  }
}

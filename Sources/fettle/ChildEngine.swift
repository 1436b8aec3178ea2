import Glibc
import InstallJobs

/// An engine that this process started and that ends with it: the engine of `fettle try`.
///
/// It sits in a session of its own, so that Ctrl-C in the terminal is not meant for it. It ends when
/// the pipe to its standard input does and no job is left, also when this process is killed.
final class ChildEngine: Sendable {
  private let pid: pid_t
  private let lifeline: Int32
  private let errors: String

  /// Starts `fettled engine` and waits until it serves.
  ///
  /// - Parameters:
  ///   - arguments: What follows `engine`.
  ///   - errors: The file for its standard error.
  /// - Throws: What the engine said when it did not come up.
  init(_ arguments: [String], errors: String) throws(InstallationError) {
    self.errors = errors
    let path = try EngineProgram.path()
    guard let input = Self.pipe(), let output = Self.pipe() else {
      throw InstallationError(.internal, "no descriptors are left", class: .transient)
    }
    lifeline = input.write
    pid = Self.spawn(
      path, ["engine"] + arguments + ["--until-input-ends"], input: input.read,
      output: output.write, errors: errors)
    close(input.read)
    close(output.write)
    defer { close(output.read) }
    guard pid > 0 else {
      close(input.write)
      throw InstallationError(
        .engineUnreachable, "cannot run '\(path)'", class: .fatal, hint: "check its rights")
    }
    guard Self.firstLine(output.read) == "ready" else { throw failure() }
  }

  /// Lets the engine end and waits for it.
  ///
  /// - Returns: What it exited with; nil when a signal killed it.
  @discardableResult
  func end() -> Int32? {
    close(lifeline)
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }

  private func failure() -> InstallationError {
    let status = end().flatMap { ExitStatus(rawValue: $0) }
    let code: InstallationError.Code =
      switch status {
      case .usage: .invalidArgument
      case .notPermitted: .notPermitted
      case .busy: .busy
      case .refused: .sourceUnavailable
      default: .internal
      }
    let said = FileText.read(errors, limit: 65_536) ?? ""
    let last = said.split(separator: "\n").last { $0.hasPrefix("fettled: ") }
    let message = last.map { String($0.dropFirst("fettled: ".count)) }
    return InstallationError(
      code, message ?? "the engine did not come up", class: .needsHuman,
      detail: said)
  }

  // MARK: Processes

  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  // POSIX_SPAWN_SETSID, which the C library shows only to GNU programs.
  private static let newSession: Int16 = 0x80

  private static func spawn(
    _ path: String, _ arguments: [String], input: Int32, output: Int32, errors: String
  ) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawnattr_setflags(&attributes, newSession)
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_addopen(
      &actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    var pid: pid_t = -1
    unsafe EngineProgram.withArguments([path] + arguments) { pointers in
      if unsafe posix_spawn(&pid, path, &actions, &attributes, pointers, environ) != 0 { pid = -1 }
    }
    return pid
  }

  private static func firstLine(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 100 {
      let count = unsafe read(descriptor, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, byte != 0x0A else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

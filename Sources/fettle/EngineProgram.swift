import Glibc
import InstallJobs

/// The `fettled` that belongs to this `fettle`: the one beside it, else the installed one.
enum EngineProgram: Sendable {
  private static let installed = ["/usr/libexec/fettle/fettled", "/usr/lib/fettle/fettled"]

  /// The path of the program.
  ///
  /// - Throws: `engineUnreachable` when there is none.
  static func path() throws(InstallationError) -> String {
    let candidates = [beside].compactMap(\.self) + installed
    if let path = candidates.first(where: { unsafe access($0, X_OK) == 0 }) { return path }
    throw InstallationError(
      .engineUnreachable, "there is no fettled beside fettle and none installed", class: .fatal,
      hint: "build the whole package ('swift build -c release'), not one product of it")
  }

  /// Becomes `fettled` with these arguments; returns only by throwing.
  static func become(_ arguments: [String]) throws(InstallationError) -> Never {
    let path = try path()
    unsafe withArguments([path] + arguments) { pointers in
      _ = unsafe execv(path, pointers)
    }
    throw InstallationError(
      .engineUnreachable, "cannot run '\(path)'", class: .fatal, hint: "check its rights")
  }

  /// Runs `fettled` with these arguments and waits for its end.
  static func run(_ arguments: [String]) {
    guard let path = try? path() else { return }
    var pid: pid_t = -1
    unsafe withArguments([path] + arguments) { pointers in
      if unsafe posix_spawn(&pid, path, nil, nil, pointers, environ) != 0 { pid = -1 }
    }
    guard pid > 0 else { return }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  }

  /// Runs `fettled` with these arguments to its end, without its standard output.
  ///
  /// - Returns: What it exited with (128 + n for signal n), and the last 4096 bytes or so of what it
  ///   wrote to standard error.
  /// - Throws: `engineUnreachable` when there is none or it cannot be run.
  static func errors(of arguments: [String]) throws(InstallationError) -> (Int32, String) {
    let path = try path()
    var ends: [Int32] = [-1, -1]
    // Closed in every other child from the start, which `pipe` alone cannot do and the C library
    // shows `pipe2` only to GNU programs: a child of another thread would keep this read waiting.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw InstallationError(.internal, "no descriptors are left", class: .transient)
    }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    var pid: pid_t = -1
    unsafe withArguments([path] + arguments) { pointers in
      if unsafe posix_spawn(&pid, path, &actions, nil, pointers, environ) != 0 { pid = -1 }
    }
    close(ends[1])
    guard pid > 0 else {
      throw InstallationError(
        .engineUnreachable, "cannot run '\(path)'", class: .fatal, hint: "check its rights")
    }
    var kept: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe read(ends[0], $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      kept = (kept + buffer[..<count]).suffix(4096)
    }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    return (signal == 0 ? status >> 8 & 0xFF : 128 + signal, String(decoding: kept, as: UTF8.self))
  }

  private static var beside: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    let own = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return own.lastIndex(of: "/").map { String(own[..<$0]) + "/fettled" }
  }

  /// Hands a C argument vector to `body`.
  static func withArguments(
    _ arguments: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Void
  ) {
    let copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var pointers = unsafe copies
    unsafe pointers.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress { unsafe body(base) }
    }
  }
}

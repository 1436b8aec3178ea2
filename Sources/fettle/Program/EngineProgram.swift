import CProcess
import Glibc
import HostSystem
import InstallJobs

/// The `fettled` program to run: the file beside this `fettle`, otherwise the installed file.
enum EngineProgram: Sendable {
  private static let installed = ["/usr/libexec/fettle/fettled", "/usr/lib/fettle/fettled"]

  /// Returns the path of the program.
  ///
  /// - Throws: `engineUnreachable` when there is none; `notPermitted` when another user could
  ///   change it.
  static func path() throws(InstallationError) -> String {
    if let own = try beside() { return own }
    for path in installed where unsafe access(path, X_OK) == 0 {
      try Trust.require(path, as: "the installed fettled")
      return path
    }
    throw InstallationError(
      .engineUnreachable, "there is no fettled beside fettle and none installed", class: .fatal,
      hint: "build the whole package ('swift build -c release'), not one product of it")
  }

  /// Replaces this process by `fettled` with the arguments; returns only by throwing.
  ///
  /// `fettled` gets `fettle` as its own name, so that its help and errors show the typed command.
  static func replaceProcess(_ arguments: [String]) throws(InstallationError) -> Never {
    let path = try path()
    unsafe withArguments(["fettle"] + arguments) { pointers in
      _ = unsafe execv(path, pointers)
    }
    throw notRun(path)
  }

  /// Runs `fettled` with the arguments and waits for its exit.
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

  /// The result of a run of `fettled`.
  struct Answer {
    /// The exit status; 128 + n for signal n.
    var status: Int32
    var output: [UInt8]
  }

  /// Runs `fettled` with the arguments and returns its exit status and standard output.
  ///
  /// - Throws: `engineUnreachable` when it cannot be run.
  static func answer(to arguments: [String]) throws(InstallationError) -> Answer {
    let path = try path()
    guard let ends = ChildEngine.pipe() else { throw notRun(path) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends.write, STDOUT_FILENO)
    var pid: pid_t = -1
    unsafe withArguments([path] + arguments) { pointers in
      if unsafe posix_spawn(&pid, path, &actions, nil, pointers, environ) != 0 { pid = -1 }
    }
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(ends.write)
    defer { close(ends.read) }
    guard pid > 0 else { throw notRun(path) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(ends.read, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      output += chunk[..<count]
    }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return Answer(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F), output: output)
  }

  private static func notRun(_ path: String) -> InstallationError {
    InstallationError(
      .engineUnreachable, "cannot run '\(path)'", class: .fatal, hint: "check its rights")
  }

  /// Returns the `fettled` in the folder of this program; nil when there is none.
  ///
  /// It is used only if every user who can change it can also change this program.
  ///
  /// - Throws: `notPermitted`, naming path and owner.
  private static func beside() throws(InstallationError) -> String? {
    guard let own = ownPath, let slash = own.lastIndex(of: "/") else { return nil }
    let folder = slash == own.startIndex ? "/" : String(own[..<slash])
    let path = own[..<slash] + "/fettled"
    guard unsafe access(String(path), X_OK) == 0 else { return nil }
    var (program, engine, place) = (stat(), stat(), stat())
    guard unsafe stat("/proc/self/exe", &program) == 0, unsafe stat(String(path), &engine) == 0,
      unsafe stat(folder, &place) == 0
    else { return nil }
    for (name, record) in [(String(path), engine), (folder, place)] {
      let isOwn = record.st_uid == 0 || record.st_uid == program.st_uid
      // With a umask that lets the group write, a build makes both programs group-writable.
      let others = record.st_mode & 0o022
      let isClosed =
        others == 0 || others & ~program.st_mode == 0 && record.st_gid == program.st_gid
      guard isOwn, isClosed else {
        throw InstallationError(
          .notPermitted,
          "cannot run '\(path)': "
            + UntrustedPath(name, isOwn ? .writable(record.st_mode) : .owner(record.st_uid))
            .description
            + ", and '\(own)' to user \(program.st_uid)",
          class: .fatal,
          hint:
            "install fettle and fettled with one owner, in a folder that only the owner can write")
      }
    }
    return String(path)
  }

  private static var ownPath: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Calls `body` with a C argument vector.
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

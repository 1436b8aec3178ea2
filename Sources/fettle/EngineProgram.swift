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
  ///
  /// It is told that `fettle` was typed, so that its help and errors name what people know.
  static func become(_ arguments: [String]) throws(InstallationError) -> Never {
    let path = try path()
    unsafe withArguments(["fettle"] + arguments) { pointers in
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

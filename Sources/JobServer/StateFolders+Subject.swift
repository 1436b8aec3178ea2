internal import Glibc
package import InstallJobs

/// A state folder belongs to one package root: jobs that were planned for one must never be carried
/// out on another, whatever `--state` somebody types.
extension StateFolders {
  /// Notes what the state is of, the first time; refuses anything else afterwards.
  ///
  /// - Parameters:
  ///   - provider: The provider's name.
  ///   - root: The package root's absolute path; nil for a provider without one.
  /// - Throws: `invalidArgument` where the folder holds the state of another root or provider;
  ///   `notPermitted` where it cannot be noted.
  package func dedicate(to provider: String, root: String?) throws(InstallationError) {
    let subject = root.map { "\(provider) \($0)" } ?? provider
    guard let known = try notedSubject() else { return try note(subject) }
    guard known == subject else {
      throw InstallationError(
        .invalidArgument, "\(path) holds the state of '\(known)', not of '\(subject)'",
        class: .fatal,
        hint: "name another folder with --state; where the root itself was moved, write its new"
          + " path into \(file)")
    }
  }

  private var file: String { path + "/subject" }

  private func notedSubject() throws(InstallationError) -> String? {
    let opened = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard opened >= 0 else {
      if errno == ENOENT { return nil }
      throw unusable(errno)
    }
    defer { close(opened) }
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 64)
    let count = unsafe read(opened, &bytes, bytes.count)
    guard count >= 0 else { throw unusable(errno) }
    let line = bytes[..<count].prefix { $0 != 0x0A && $0 != 0 }
    // One that was made and not filled when the machine lost its power says nothing.
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  private func note(_ subject: String) throws(InstallationError) {
    let draft = file + ".new"
    unsafe unlink(draft)
    let made = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else { throw unusable(errno) }
    defer { close(made) }
    let content = Array((subject + "\n").utf8)
    guard unsafe write(made, content, content.count) == content.count, fsync(made) == 0,
      unsafe rename(draft, file) == 0
    else { throw unusable(errno) }
  }

  private func unusable(_ reason: Int32) -> InstallationError {
    InstallationError(
      .notPermitted,
      "cannot note in \(file) whose state it is: \(unsafe String(cString: strerror(reason)))",
      class: .fatal, hint: "free space, or name another folder with --state")
  }
}

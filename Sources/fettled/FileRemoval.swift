import Glibc

/// Removes files of this process's user, whatever permissions package scripts gave them.
enum FileRemoval: Sendable {
  /// Removes a file, or a folder with its content.
  ///
  /// Links are not followed, and other file systems are not entered. Folders that are closed to
  /// their owner are opened first, except for root, who can enter them.
  ///
  /// - Parameter path: An absolute path.
  /// - Returns: Whether the path is gone; false when the removal took longer than a minute.
  static func remove(_ path: String) -> Bool {
    // coreutils can walk trees that are deeper than the longest path.
    if geteuid() != 0 { run(["/bin/chmod", "-R", "u+rwX", "--", path]) }
    run(["/bin/rm", "-rf", "--one-file-system", "--", path])
    var record = stat()
    return unsafe lstat(path, &record) != 0 && errno == ENOENT
  }

  private static func run(_ arguments: [String]) {
    let words = ["/usr/bin/timeout", "--kill-after=5", "60"] + arguments
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { while unsafe !pointers.isEmpty { unsafe free(pointers.removeLast()) } }
    var silent = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&silent)
    defer { unsafe posix_spawn_file_actions_destroy(&silent) }
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      unsafe posix_spawn_file_actions_addopen(&silent, descriptor, "/dev/null", O_RDWR, 0)
    }
    var pid: pid_t = 0
    guard unsafe posix_spawn(&pid, words[0], &silent, nil, &pointers, environ) == 0 else { return }
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
  }
}

internal import Glibc

/// The environment of a process that root starts with another user's variables (`su -m`, `sudo -E`).
package enum RootEnvironment: Sendable {
  /// Removes variables by which root would use files of another user.
  ///
  /// These are search paths of libraries, locales, character sets and terminal types, and folders for
  /// temporary files, for this process and its children. The search path for programs is fixed.
  ///
  /// What the dynamic linker did before the process began cannot be undone.
  package static func clear() {
    guard geteuid() == 0 else { return }
    if unsafe getenv("TMPDIR") != nil { unsafe setenv("TMPDIR", TemporaryFolder.path, 1) }
    for name in removed { unsafe unsetenv(name) }
    for name in searchPaths where !isSafe(searchPath: name) { unsafe unsetenv(name) }
    // It may name the program that shows where a crash was.
    if let value = unsafe getenv("SWIFT_BACKTRACE"), unsafe strchr(value, 0x2F) != nil {
      unsafe unsetenv("SWIFT_BACKTRACE")
    }
    unsafe setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1)
  }

  /// Runs `body` without `HOME` where root must not use files of that folder.
  ///
  /// ncurses reads descriptions of terminals from `~/.terminfo`.
  package static func withoutForeignHome<Value>(_ body: () -> Value) -> Value {
    guard geteuid() == 0, let value = unsafe getenv("HOME"), !isSafe(searchPath: "HOME") else {
      return body()
    }
    let home = unsafe String(cString: value)
    unsafe unsetenv("HOME")
    defer { unsafe setenv("HOME", home, 1) }
    return body()
  }

  private static let removed = [
    "SQLITE_TMPDIR", "LD_PRELOAD", "LD_AUDIT", "LD_DEBUG_OUTPUT", "LD_PROFILE_OUTPUT", "GCONV_PATH",
    "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH", "NLSPATH", "RES_OPTIONS",
    "RESOLV_HOST_CONF", "TERMCAP", "TERMPATH", "TZDIR", "BASH_ENV", "ENV", "IFS", "CDPATH",
  ]

  private static let searchPaths = ["LD_LIBRARY_PATH", "TERMINFO", "TERMINFO_DIRS"]

  /// Whether every folder that a variable names is absolute and can be changed by root alone.
  private static func isSafe(searchPath name: String) -> Bool {
    guard let value = unsafe getenv(name) else { return true }
    return unsafe String(cString: value).split(separator: ":", omittingEmptySubsequences: false)
      .allSatisfy { folder in
        folder.hasPrefix("/") && (try? TrustedPath.requireForRoot(String(folder))) != nil
      }
  }
}

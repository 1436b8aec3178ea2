internal import Glibc

/// Cleans the environment of a process that root started with another user's variables (`su -m`,
/// `sudo -E`).
package enum RootEnvironment: Sendable {
  /// Removes every variable that is not known to be harmless, for this process and its children.
  ///
  /// An unknown variable may name a library, a program or a file of another user. `PATH` gets a
  /// fixed value.
  ///
  /// Effects of the variables on the dynamic linker before the process began remain.
  package static func clear() {
    guard geteuid() == 0 else { return }
    let names = variableNames()
    if names.contains(where: { $0.hasPrefix("SWIFT_") }) { forgetCrashHandlers() }
    var harmless = names.compactMap { name in harmlessValue(of: name).map { (name, $0) } }
    if names.contains("TMPDIR") { harmless.append(("TMPDIR", TemporaryFolder.path)) }
    clearenv()
    for (name, value) in harmless { unsafe setenv(name, value, 1) }
    unsafe setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1)
  }

  /// Runs `body`, without `HOME` if root must not use files of that folder.
  ///
  /// ncurses reads terminal descriptions from `~/.terminfo`.
  package static func withoutForeignHome<Value>(_ body: () -> Value) -> Value {
    guard geteuid() == 0, let home = value(of: "HOME"), !isSafe(searchPath: home) else {
      return body()
    }
    unsafe unsetenv("HOME")
    defer { unsafe setenv("HOME", home, 1) }
    return body()
  }

  /// Harmless variables: their values name no file, or a file that is checked before use; the
  /// process that listens at `NOTIFY_SOCKET` is only told that the engine is ready.
  private static let kept: Set<String> = [
    "HOME", "TERM", "NCURSES_NO_UTF8_ACS", "COLORTERM", "COLORFGBG", "NO_COLOR",
    "COLUMNS", "LINES", "ESCDELAY", "LANG", "LANGUAGE", "TZ", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR", "FETTLE_SOCKET", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
    "SSH_CLIENT", "SSH_CONNECTION", "SSH_TTY", "TMUX", "STY",
    // Read by programs built with sanitizers, and by the dispatch library for tests.
    "TSAN_OPTIONS", "ASAN_OPTIONS", "LIBDISPATCH_COOPERATIVE_POOL_STRICT",
  ]

  private static let proxies: Set<String> = [
    "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
  ]

  private static let searchPaths: Set<String> = ["LD_LIBRARY_PATH", "TERMINFO", "TERMINFO_DIRS"]

  /// Returns the value of a harmless variable; nil for a variable to remove.
  private static func harmlessValue(of name: String) -> String? {
    guard let value = value(of: name) else { return nil }
    if proxies.contains(name.lowercased()) { return value }
    if searchPaths.contains(name) { return isSafe(searchPath: value) ? value : nil }
    guard kept.contains(name) || name.hasPrefix("LC_") else { return nil }
    return switch name {
    case "TZ": zone(value)
    case "TERM", "LANG", "LANGUAGE": value.contains("/") ? nil : value
    default: name.hasPrefix("LC_") && value.contains("/") ? nil : value
    }
  }

  /// Returns a time zone as a name below the system's zone folder; nil for another file, which the
  /// C library would open, also a fifo.
  private static func zone(_ value: String) -> String? {
    var name = value[...]
    if name.hasPrefix(":") { name.removeFirst() }
    if name.hasPrefix("/usr/share/zoneinfo/") { name.removeFirst("/usr/share/zoneinfo/".count) }
    return name.hasPrefix(":") || name.hasPrefix("/") || name.contains("..") ? nil : String(name)
  }

  /// Returns whether every folder of a search path is absolute and only root can change it.
  private static func isSafe(searchPath: String) -> Bool {
    searchPath.split(separator: ":", omittingEmptySubsequences: false).allSatisfy { folder in
      folder.hasPrefix("/") && (try? TrustedPath.requireForRoot(String(folder))) != nil
    }
  }

  /// Restores the default action of crash signals.
  ///
  /// Swift's runtime read its variables before `main` and would start a program named there at a
  /// crash.
  private static func forgetCrashHandlers() {
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
      var former = sigaction()
      guard unsafe sigaction(number, nil, &former) == 0,
        unsafe unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self) != Self.ignored
      else { continue }
      signal(number, SIG_DFL)
    }
  }

  /// SIG_IGN, which is the macro `((__sighandler_t) 1)`.
  private static let ignored = 1

  private static func variableNames() -> Set<String> {
    var names: Set<String> = []
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      names.insert(String(unsafe String(cString: text).prefix { $0 != "=" }))
      unsafe entry += 1
    }
    return names
  }

  private static func value(of name: String) -> String? {
    // A value that is not UTF-8 is dropped: repaired text would name another file.
    unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
  }
}

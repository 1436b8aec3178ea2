/// Terminal types for ncurses.
enum TerminalType {
  /// The types to try, best first.
  ///
  /// Servers often lack the newest types; every current terminal understands one of the fallbacks.
  static func candidates(for name: String?) -> [String] {
    var names: [String] = []
    if let name, !name.isEmpty { names.append(name) }
    if let name, name.hasPrefix("tmux") || name.hasPrefix("screen") {
      names += ["screen-256color", "screen"]
    }
    names += ["xterm-256color", "xterm", "vt100"]
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}

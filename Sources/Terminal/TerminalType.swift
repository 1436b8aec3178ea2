/// Names of terminal types.
enum TerminalType {
  /// The types to try, best first: servers rarely know the newest terminals, and every one of
  /// them understands one of these.
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

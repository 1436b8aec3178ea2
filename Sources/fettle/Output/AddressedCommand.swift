/// Commands in errors and hints, completed with the `--socket` of the engine that sent them.
enum AddressedCommand: Sendable {
  /// Adds the engine's socket to each `'fettle VERB …'` in a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - socket: The path of `--socket`; nil, or a path with quotes or control characters, leaves
  ///     the text unchanged.
  ///   - verbs: The commands that have the option.
  /// - Returns: The text to show.
  static func addingSocket(_ text: String, socket: String?, verbs: Set<String>) -> String {
    guard let socket = socket.flatMap(word) else { return text }
    var parts = text.split(separator: "'fettle ", omittingEmptySubsequences: false)[...]
    var spelled = String(parts.removeFirst())
    for part in parts {
      let verb = part.prefix { $0.isLetter }
      let isAddressed =
        verbs.contains(String(verb)) && !part.hasPrefix("\(verb) --help")
        && !part.hasPrefix("doctor --root")
      spelled += isAddressed ? "'fettle --socket \(socket) \(part)" : "'fettle \(part)"
    }
    return spelled
  }

  /// Returns the value of `--socket` in the arguments; nil when the option is absent.
  static func socket(in arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() {
      if argument == "--socket" { return arguments.dropFirst(index + 1).first }
      if argument.hasPrefix("--socket=") { return String(argument.dropFirst(9)) }
    }
    return nil
  }

  /// Returns a path as one shell word, in double quotes if necessary, since hints put commands in
  /// single quotes.
  static func word(_ path: String) -> String? {
    guard !path.isEmpty, !path.utf8.contains(where: { $0 < 0x20 || "'\"\\".utf8.contains($0) })
    else { return nil }
    guard !path.utf8.allSatisfy(isPlain) else { return path }
    return "\"\(path.replacing("$", with: "\\$").replacing("`", with: "\\`"))\""
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "/.,_-+=:@%".utf8.contains(byte)
  }
}

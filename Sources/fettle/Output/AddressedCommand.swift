/// Commands that errors and findings advise, as they must be typed to reach the engine that was asked.
enum AddressedCommand: Sendable {
  /// Names the engine's socket in each `'fettle VERB …'` of a text that speaks to an engine.
  ///
  /// - Parameters:
  ///   - text: What is advised.
  ///   - socket: The path of `--socket`; nil, or one with quotes or control characters, leaves the
  ///     text as it is.
  ///   - verbs: The commands that take the option.
  /// - Returns: The text as it is to be shown.
  static func spelled(_ text: String, socket: String?, verbs: Set<String>) -> String {
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

  /// The path behind `--socket` in what was typed; nil where the option was not.
  static func socket(in arguments: [String]) -> String? {
    for (index, argument) in arguments.enumerated() {
      if argument == "--socket" { return arguments.dropFirst(index + 1).first }
      if argument.hasPrefix("--socket=") { return String(argument.dropFirst(9)) }
    }
    return nil
  }

  /// A path as one word of a shell, in double quotes where it needs some: hints stand in single ones.
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

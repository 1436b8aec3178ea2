/// Adapts hints for `fettle try`, whose engine and root cannot be reached by other commands and are
/// removed at the end.
enum TryAdvice: Sendable {
  /// Removes the parts of a hint that name commands for other engines and roots.
  ///
  /// - Parameters:
  ///   - text: The hint, its parts separated by semicolons.
  ///   - verbs: The commands that connect to an engine.
  /// - Returns: The remaining parts; empty when none remains.
  static func removingForeignCommands(_ text: String, verbs: Set<String>) -> String {
    var text = text
    while let start = text.firstRange(of: Self.refreshing),
      let end = text[start.upperBound...].firstIndex(of: "'")
    {
      text.replaceSubrange(
        start.lowerBound...end, with: "start the try again, which fetches the index anew")
    }
    return text.split(separator: "; ").filter { part in
      // Only the user of the try's engine can write its root.
      !part.contains("'dpkg --root=")
        && !part.ranges(of: "'fettle ").contains { range in
          let typed = part[range.upperBound...]
          let verb = typed.prefix { $0.isLetter }
          return verbs.contains(String(verb)) && !typed.hasPrefix("\(verb) --help")
            || typed.hasPrefix("root repair ") || typed.hasPrefix("root update ")
        }
    }.joined(separator: "; ")
  }

  private static let refreshing = "refresh the index with 'fettle root update "
}

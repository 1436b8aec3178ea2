/// Advice as it holds in a `fettle try`, whose engine and root nobody else reaches and which are gone
/// at its end.
enum TryAdvice: Sendable {
  /// Leaves out what names a command that is for other engines and roots.
  ///
  /// - Parameters:
  ///   - text: What is advised, its parts with semicolons between.
  ///   - verbs: The commands that speak to an engine.
  /// - Returns: What is left of it; empty where nothing is.
  static func spelled(_ text: String, verbs: Set<String>) -> String {
    var text = text
    while let start = text.firstRange(of: Self.refreshing),
      let end = text[start.upperBound...].firstIndex(of: "'")
    {
      text.replaceSubrange(
        start.lowerBound...end, with: "start the try again, which fetches the index anew")
    }
    return text.split(separator: "; ").filter { part in
      // Nobody else has the rights of the user whose root it is.
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

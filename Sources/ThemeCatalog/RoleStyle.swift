import Canvas

/// The style of a role in a theme file, before a colour level is chosen.
struct RoleStyle: Sendable, Hashable {
  /// The source of a colour.
  enum Source: Sendable, Hashable {
    case terminalDefault
    case palette(String)
    /// The colour of the row's state.
    case state
    /// Another role, whose whole style is used.
    case role(Role)
  }

  var foreground: Source = .terminalDefault
  var background: Source = .terminalDefault
  var attributes: Attributes = []

  /// An error in the text of a style, as a sentence.
  struct Fault: Error {
    let message: String
  }

  static let attributeNames: [String: Attributes] = [
    "bold": .bold, "dim": .dim, "underline": .underline, "reverse": .reverse,
  ]

  /// Parses `[COLOUR] [on COLOUR] [ATTRIBUTE…]`.
  ///
  /// COLOUR is a palette name, `default`, `@state`, or `@ROLE`.
  init(_ text: String) throws(Fault) {
    var words = text.split(separator: " ")[...]
    guard !words.isEmpty else { throw Fault(message: "the look is empty; write \"default\"") }
    if let first = words.first, first != "on", Self.attributeNames[String(first)] == nil {
      foreground = try Self.source(first)
      words.removeFirst()
    }
    if words.first == "on" {
      words.removeFirst()
      guard let word = words.popFirst() else {
        throw Fault(message: "a colour is missing after \"on\"")
      }
      background = try Self.source(word)
      if case .role = background {
        throw Fault(message: "\"\(word)\" cannot stand after \"on\": a role is a whole look")
      }
    }
    for word in words {
      guard let attribute = Self.attributeNames[String(word)] else {
        throw Fault(
          message: "\"\(word)\" is not an attribute; known: bold, dim, underline, reverse")
      }
      attributes.insert(attribute)
    }
  }

  private static func source(_ word: Substring) throws(Fault) -> Source {
    if word == "default" { return .terminalDefault }
    guard word.hasPrefix("@") else { return .palette(String(word)) }
    let name = String(word.dropFirst())
    if name == "state" { return .state }
    guard let role = Role(named: name) else {
      throw Fault(message: "\"\(word)\" is neither @state nor a known role")
    }
    return .role(role)
  }

  /// Parses attributes only, for the mono level; `normal` means none.
  static func attributes(_ text: String) throws(Fault) -> Attributes {
    var attributes: Attributes = []
    for word in text.split(separator: " ") where word != "normal" {
      guard let attribute = attributeNames[String(word)] else {
        throw Fault(
          message: "\"\(word)\" is not an attribute; known: normal, bold, dim, underline, reverse")
      }
      attributes.insert(attribute)
    }
    return attributes
  }
}

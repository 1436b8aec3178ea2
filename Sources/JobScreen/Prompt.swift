/// A line being typed in place of the message line.
struct Prompt: Sendable, Hashable {
  /// What the line is for.
  enum Purpose: Sendable, Hashable {
    case filter
    case find
  }

  /// What becomes of the line after a key.
  enum Outcome: Sendable, Hashable {
    case typing
    case accepted
    case cancelled
  }

  let purpose: Purpose
  private(set) var text: String

  /// Characters that fit; the rest is not taken.
  static let capacity = 200

  init(_ purpose: Purpose, text: String = "") {
    self.purpose = purpose
    self.text = text
  }

  mutating func take(_ key: Key) -> Outcome {
    switch key {
    case .character(let character): insert(String(character))
    case .backspace, .control("h"): text = String(text.dropLast())
    case .control("u"): text = ""
    case .enter, .tab: return .accepted
    case .escape, .control("c"): return .cancelled
    default: break
    }
    return .typing
  }

  /// Puts pasted text in, without controls and line ends.
  mutating func insert(_ pasted: String) {
    let printable = pasted.unicodeScalars.filter { scalar in
      scalar.properties.generalCategory != .control
    }
    text += String(String.UnicodeScalarView(printable)).prefix(max(0, Self.capacity - text.count))
  }
}

/// Scans a TOML text and tracks strings, comments, headers and arrays.
///
/// Up to the first syntax error it sees the text as the parser does; the parser reads nothing
/// behind that error.
struct TOMLScanner: Sendable {
  private let scalars: [Unicode.Scalar]
  private var result: [Unicode.Scalar]
  private var index = 0
  /// The open brackets and braces.
  private var open: [Unicode.Scalar] = []
  private var isLineStart = true
  /// Whether the scanner is in a table header, where brackets enclose keys.
  private var isHeader = false
  /// Whether a value comes next, not a key.
  private var expectsValue = false
  private var line = 1

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    result = scalars
  }

  mutating func parsable() throws(TOMLText.Refusal) -> String {
    while index < scalars.count {
      let scalar = scalars[index]
      switch scalar {
      case "\"", "'":
        skipString(scalar)
        expectsValue = false
      case "#": skipComment()
      case "\n": beginLine()
      case " ", "\t": break
      // The byte order mark, which the parser removes.
      case "\u{FEFF}" where index == 0: break
      default:
        if expectsValue, isDateOrTime() {
          throw TOMLText.Refusal(
            line: line, problem: "dates and times are not used here; write the text in quotes")
        }
        applySign(scalar)
        isLineStart = false
      }
      index += 1
    }
    for index in result.indices where result[index] == "\u{0}" { result[index] = "\u{1}" }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: result)
    return String(text)
  }

  private mutating func beginLine() {
    isLineStart = true
    isHeader = false
    line += 1
  }

  private mutating func applySign(_ scalar: Unicode.Scalar) {
    let isValue = expectsValue
    expectsValue = false
    switch scalar {
    case "[":
      if isLineStart, open.isEmpty {
        isHeader = true
        if !headerHasKey() { result[index] = "?" }
      }
      open.append(scalar)
      expectsValue = !isHeader
    case "=": expectsValue = true
    case ",": expectsValue = open.last == "["
    case "{": open.append(scalar)
    case "]": _ = open.popLast()
    case "}":
      if open.popLast() == "[" { result[index] = "?" }
    case "\u{85}", "\u{2028}", "\u{2029}": result[index] = "?"
    default: expectsValue = isValue && scalar.properties.isWhitespace
    }
  }

  /// Returns whether the value at the index begins with a digit and contains a character that no
  /// number has: a colon, or a hyphen that is not the sign of an exponent.
  private func isDateOrTime() -> Bool {
    guard ("0"..."9").contains(scalars[index]) else { return false }
    var previous = scalars[index]
    for scalar in scalars[index...].dropFirst() {
      switch scalar {
      case " ", "\t", "\r", "\n", ",", "]", "}", "#": return false
      case ":": return true
      case "-" where !["e", "E", "p", "P"].contains(previous): return true
      default: previous = scalar
      }
    }
    return false
  }

  /// Returns whether a key can begin after `[` or `[[`; true also for an empty header, which the
  /// parser refuses.
  private func headerHasKey() -> Bool {
    var next = index + 1
    if next < scalars.count, scalars[next] == "[" { next += 1 }
    while next < scalars.count, scalars[next] == " " || scalars[next] == "\t" { next += 1 }
    guard next < scalars.count else { return true }
    switch scalars[next] {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "\"", "'", "]": return true
    default: return false
    }
  }

  // Advances to the last scalar of the comment; the line end is handled by `parsable`.
  private mutating func skipComment() {
    while index + 1 < scalars.count, scalars[index + 1] != "\n" { index += 1 }
  }

  /// Advances to the quote that ends the string at the index.
  private mutating func skipString(_ quote: Unicode.Scalar) {
    isLineStart = false
    let isLong = quotes(at: index, quote) >= 3
    // Two quotes are the empty string.
    index += isLong ? 3 : 1
    while index < scalars.count {
      let scalar = scalars[index]
      if scalar == "\\", quote == "\"" {
        index += 1
        if index < scalars.count, scalars[index] == "\n" { line += 1 }
        if isZero(at: index) { result[index] = "?" }
      } else if scalar == quote {
        guard isLong else { return }
        let count = quotes(at: index, quote)
        if count >= 3 {
          // Up to two quotes directly before the closing three belong to the string.
          index += min(count, 5) - 1
          return
        }
      } else if scalar == "\n" {
        guard isLong else { return beginLine() }
        line += 1
      }
      index += 1
    }
  }

  /// Returns whether the escape whose letter is at the index is U+0000, which would truncate a key
  /// in callers of the parser.
  private func isZero(at letter: Int) -> Bool {
    guard letter < scalars.count, scalars[letter] == "u" || scalars[letter] == "U" else {
      return false
    }
    let digits = scalars[letter...].dropFirst().prefix(scalars[letter] == "u" ? 4 : 8)
    return digits.allSatisfy { $0 == "0" }
  }

  private func quotes(at start: Int, _ quote: Unicode.Scalar) -> Int {
    var end = start
    while end < scalars.count, end < start + 5, scalars[end] == quote { end += 1 }
    return end - start
  }
}

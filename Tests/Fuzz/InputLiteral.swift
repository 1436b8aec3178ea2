/// An input as Swift source: a text where it is one, else its bytes.
package enum InputLiteral: Sendable {
  /// The literal of type `[UInt8]`.
  package static func text(of input: [UInt8]) -> String {
    guard let text = String(validating: input, as: UTF8.self) else {
      return "[" + input.map { "0x" + hex(UInt32($0), digits: 2) }.joined(separator: ", ") + "]"
    }
    let body = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\u{20}"..."\u{7E}": String(scalar)
      default: "\\u{" + hex(scalar.value, digits: 1) + "}"
      }
    }
    return "Array(\"" + body.joined() + "\".utf8)"
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}

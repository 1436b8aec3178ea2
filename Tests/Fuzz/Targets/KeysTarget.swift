import Canvas
import Terminal

/// What a terminal sends.
struct KeysTarget: FuzzTarget {
  static let name = "keys"

  var seeds: [[UInt8]] {
    [
      "\u{1B}[A\u{1B}OB\u{1B}[15~x\u{1B}x\u{E4}", "\u{1B}[<0;5;3M\u{1B}[<65;9;9M\u{1B}[M !!q",
      "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\u{1B}[?62;c", "\u{1B}P1$r\u{7}\u{1B}\u{1B}q",
    ].map { Array($0.utf8) }
  }
  var tokens: [String] {
    [
      "\u{1B}", "[", "O", "]", "P", "M", "<", ";", "0", "9", "99999999999999999999", "~", "m", "c",
      "\u{7}", "\\", "11;rgb:", "?", "$", "y", "\u{E4}", "\u{20AC}", "\u{1F600}", "q", "\r",
    ]
  }

  func check(_ input: [UInt8]) throws(BrokenPromise) {
    var decoder = Self.decoder
    var events: [TerminalEvent] = []
    for byte in input { events += decoder.receive(Int32(byte)) }
    try hold(events.count <= input.count + 1, "there are more events than bytes")
    for event in events { try Self.check(event) }
    // A pause means that an escape was a key and never takes the decoder out of its way.
    _ = decoder.endBurst()
    for byte in "\u{1B}\\\u{7}~~\u{1B}\\".utf8 { _ = decoder.receive(Int32(byte)) }
    _ = decoder.endBurst()
    try hold(
      decoder.receive(Int32(UInt8(ascii: "q"))) == [.key(.character("q"))],
      "a key after the end of every sequence is lost")
    try checkPaste(input)
    try checkText(input)
  }

  private static var decoder: KeyDecoder {
    var decoder = KeyDecoder()
    decoder.usesMouse = true
    decoder.expectsReplies = true
    return decoder
  }

  private static func check(_ event: TerminalEvent) throws(BrokenPromise) {
    switch event {
    case .key(.character(let character)), .key(.alt(let character)):
      try hold(
        character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
        "a character is a control")
    case .key(.control(let character)):
      try hold(!"ijmh[".contains(character), "a control key that terminals cannot tell")
    case .key(.function(let number)):
      try hold((1...63).contains(number), "a function key that no keyboard has")
    case .mouse(let mouse):
      try hold(
        (0..<9_999).contains(mouse.cell.column) && (0..<9_999).contains(mouse.cell.row),
        "the mouse is outside of every terminal")
    default: break
    }
  }

  /// A paste is text and types nothing.
  private func checkPaste(_ input: [UInt8]) throws(BrokenPromise) {
    var decoder = Self.decoder
    _ = decoder.receive(KeyDecoder.pasteBegin)
    for byte in input {
      try hold(decoder.receive(Int32(byte)).isEmpty, "a byte of a paste is an event")
    }
    guard case .paste(let text)? = decoder.receive(KeyDecoder.pasteEnd).first else {
      throw BrokenPromise("a paste has no end")
    }
    try hold(
      text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control || $0 == "\n" || $0 == "\t"
      }, "a paste holds controls")
  }

  /// Printable text in UTF-8 is typed as it is.
  private func checkText(_ input: [UInt8]) throws(BrokenPromise) {
    let scalars = String(decoding: input, as: UTF8.self).unicodeScalars.filter {
      $0.properties.generalCategory != .control
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    var decoder = Self.decoder
    let events = String(text).utf8.flatMap { decoder.receive(Int32($0)) }
    try hold(
      events == scalars.map { .key(.character(Character($0))) }, "text is typed as something else")
  }
}

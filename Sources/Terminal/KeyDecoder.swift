import CNcurses
import Canvas

/// Decodes the bytes and key codes from ncurses into keys, pastes and mouse events.
///
/// The bytes are not decoded by ncurses, because its wide reader drops the keys after an invalid
/// byte. Sequences that ncurses does not know are dropped as a whole, so that an unknown key or a
/// late reply of the terminal does not act as typed commands.
package struct KeyDecoder: Sendable {
  /// Maximum size of a paste in bytes.
  static let pasteLimit = 1 << 20

  /// The key code before a paste.
  package static let pasteBegin = cn_paste_begin
  /// The key code after a paste.
  package static let pasteEnd = cn_paste_end

  private enum Sequence: Sendable {
    case none
    case escape
    case control(parameters: [UInt8])
    case single
    case mouse(bytes: [UInt8])
    case string(CommandString)
  }

  /// A command string from the terminal, up to its terminator.
  private struct CommandString: Sendable {
    let introducer: UInt8
    var bytes: [UInt8] = []
    var isEscaped = false
    /// Whether the string continued in a later read.
    var isSplit = false

    /// Whether the string can be the reply with the background colour.
    var mayBeReply: Bool {
      let prefix = TerminalReplies.backgroundPrefix
      return introducer == UInt8(ascii: "]") && bytes.count < 72
        && zip(bytes, prefix).allSatisfy(==)
    }
  }

  private var sequence = Sequence.none
  private var text = TextDecoder()
  private var paste: [UInt8]?
  private var isPasteVoid = false

  /// Whether mouse reports are decoded to events.
  package var usesMouse = false
  /// Whether replies of the terminal are pending.
  package var expectsReplies = false
  /// The replies so far.
  private(set) var replies = TerminalReplies()
  /// Whether a paste has begun and not ended.
  var isPasting: Bool { paste != nil }

  /// A decoder without input.
  package init() {}

  /// Decodes one byte or key code and returns the completed events.
  package mutating func receive(_ code: Int32) -> [TerminalEvent] {
    if paste != nil { return receivePasted(code) }
    if let byte = UInt8(exactly: code) { return receive(byte: byte) }
    var events: [TerminalEvent] = []
    if case .escape = sequence { events.append(.key(.escape)) }
    sequence = .none
    text = TextDecoder()
    if code == Self.pasteBegin {
      paste = []
      isPasteVoid = false
    } else if let key = Key(code: code) {
      events.append(.key(key))
    }
    return events
  }

  /// Ends a burst of input, when no more bytes are waiting: a pending escape is the escape key.
  package mutating func endBurst() -> [TerminalEvent] {
    switch sequence {
    case .escape:
      sequence = .none
      return [.key(.escape)]
    // The rest may arrive later on a slow link; one further byte can end the sequence.
    case .control, .mouse: break
    case .string(var string):
      string.isSplit = true
      sequence = expectsReplies && string.mayBeReply ? .string(string) : .none
    case .none, .single: sequence = .none
    }
    return []
  }

  /// Ends a paste whose end has not come, and returns the text so far.
  mutating func endPaste() -> [TerminalEvent] {
    guard let paste else { return [] }
    self.paste = nil
    return isPasteVoid ? [] : [.paste(Self.cleaned(paste))]
  }

  /// Discards the content of an unfinished paste.
  ///
  /// The decoder stays inside the paste or the sequence: the rest of the paste is dropped, and the
  /// rest of the sequence is not decoded as keys.
  mutating func discard() {
    if paste != nil {
      paste = []
      isPasteVoid = true
    }
  }

  private mutating func receivePasted(_ code: Int32) -> [TerminalEvent] {
    if code == Self.pasteEnd { return endPaste() }
    if let byte = UInt8(exactly: code), !isPasteVoid, (paste?.count ?? 0) < Self.pasteLimit {
      paste?.append(byte)
    }
    return []
  }

  private mutating func receive(byte: UInt8) -> [TerminalEvent] {
    switch sequence {
    case .none: return keys(plain(byte))
    case .escape: return keys(afterEscape(byte))
    case .single:
      sequence = .none
      return keys(Key(finalByte: byte, parameters: []).map { [$0] } ?? [])
    case .control(let parameters):
      return inControlSequence(byte, parameters)
    case .mouse(let bytes):
      guard bytes.count == 2 else {
        sequence = .mouse(bytes: bytes + [byte])
        return []
      }
      sequence = .none
      return MouseEvent(bytes: bytes + [byte]).map { [.mouse($0)] } ?? []
    case .string(let string):
      return inString(byte, string)
    }
  }

  private func keys(_ keys: [Key]) -> [TerminalEvent] { keys.map(TerminalEvent.key) }

  private mutating func inString(_ byte: UInt8, _ string: CommandString) -> [TerminalEvent] {
    var string = string
    if byte == 0x07 || (string.isEscaped && byte == UInt8(ascii: "\\")) {
      sequence = .none
      if expectsReplies, string.introducer == UInt8(ascii: "]") {
        replies.apply(command: string.bytes)
      }
      return []
    }
    string.isEscaped = byte == 0x1b
    if !string.isEscaped, string.bytes.count < 128 { string.bytes.append(byte) }
    // Alt with a bracket, typed by a user, must not swallow the keys after it.
    guard !string.isSplit || string.mayBeReply else {
      sequence = .none
      return keys(plain(byte))
    }
    sequence = .string(string)
    return []
  }

  private mutating func inControlSequence(
    _ byte: UInt8, _ parameters: [UInt8]
  ) -> [TerminalEvent] {
    switch byte {
    case 0x20...0x3f where parameters.count < 64:
      sequence = .control(parameters: parameters + [byte])
      return []
    case 0x20...0x7e:
      sequence = .none
      return endControlSequence(byte, parameters)
    default:
      sequence = .none
      return keys(plain(byte))
    }
  }

  private mutating func endControlSequence(
    _ byte: UInt8, _ parameters: [UInt8]
  ) -> [TerminalEvent] {
    if byte == UInt8(ascii: "M") {
      if usesMouse, parameters.isEmpty { sequence = .mouse(bytes: []) }
      guard usesMouse, let event = MouseEvent(decimal: parameters) else { return [] }
      return [.mouse(event)]
    }
    if expectsReplies, replies.apply(parameters: parameters, finalByte: byte) {
      expectsReplies = false
    }
    return keys(Key(finalByte: byte, parameters: parameters).map { [$0] } ?? [])
  }

  private mutating func afterEscape(_ byte: UInt8) -> [Key] {
    sequence = .none
    switch byte {
    case UInt8(ascii: "["): sequence = .control(parameters: [])
    case UInt8(ascii: "O"): sequence = .single
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      sequence = .string(CommandString(introducer: byte))
    case UInt8(ascii: "0"): return [.function(10)]
    case UInt8(ascii: "1")...UInt8(ascii: "9"): return [.function(Int(byte) - 0x30)]
    case 0x20...0x7e: return [.alt(Character(Unicode.Scalar(byte)))]
    default: return [.escape] + plain(byte)
    }
    return []
  }

  private mutating func plain(_ byte: UInt8) -> [Key] {
    guard byte < 0x80 else {
      guard let scalar = text.receive(byte), scalar.value >= 0xa0 else { return [] }
      return [.character(Character(scalar))]
    }
    text = TextDecoder()
    switch byte {
    case 0x1b:
      sequence = .escape
      return []
    case 0x08, 0x7f: return [.backspace]
    case 0x09: return [.tab]
    case 0x0a, 0x0d: return [.enter]
    case 0x01...0x1a: return [.control(Character(Unicode.Scalar(byte + 0x60)))]
    case 0x00...0x1f: return [.control(Character(Unicode.Scalar(byte + 0x40)))]
    default: return [.character(Character(Unicode.Scalar(byte)))]
    }
  }

  private static func cleaned(_ bytes: [UInt8]) -> String {
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar = " "
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\r": result.append("\n")
      case "\n": if previous != "\r" { result.append("\n") }
      case "\t": result.append(scalar)
      default:
        if scalar.properties.generalCategory != .control { result.append(scalar) }
      }
      previous = scalar
    }
    return String(result)
  }
}

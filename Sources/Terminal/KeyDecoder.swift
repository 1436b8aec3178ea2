import CNcurses

/// Makes keys and pastes of the bytes and key codes that ncurses yields.
///
/// Bytes are decoded here rather than by ncurses, whose wide reader swallows the keys that follow
/// an invalid byte. Sequences that ncurses does not know are dropped whole, so that an unknown key
/// never types commands.
struct KeyDecoder: Sendable {
  /// The most bytes of one paste.
  static let pasteLimit = 1 << 20

  private enum Sequence: Sendable {
    case none
    case escape
    case control(parameters: [UInt8])
    case single
    case string(escaped: Bool)
  }

  private var sequence = Sequence.none
  private var text = TextDecoder()
  private var paste: [UInt8]?

  /// Whether the end of a paste is still to come.
  var isPasting: Bool { paste != nil }

  /// Takes one byte or key code and yields what it completes.
  mutating func receive(_ code: Int32) -> [TerminalEvent] {
    if paste != nil { return receivePasted(code) }
    if let byte = UInt8(exactly: code) { return receive(byte: byte).map(TerminalEvent.key) }
    var events: [TerminalEvent] = []
    if case .escape = sequence { events.append(.key(.escape)) }
    sequence = .none
    text = TextDecoder()
    if code == cn_paste_begin {
      paste = []
    } else if let key = Key(code: code) {
      events.append(.key(key))
    }
    return events
  }

  /// Says that nothing more is waiting: an escape was the key itself.
  mutating func endBurst() -> [TerminalEvent] {
    defer {
      // Parameters may still be under way on a slow link; one final byte ends that.
      if case .control = sequence {} else { sequence = .none }
    }
    if case .escape = sequence { return [.key(.escape)] }
    return []
  }

  /// Gives up waiting for the end of a paste and yields what has come.
  mutating func endPaste() -> [TerminalEvent] {
    guard let paste else { return [] }
    self.paste = nil
    return [.paste(Self.cleaned(paste))]
  }

  private mutating func receivePasted(_ code: Int32) -> [TerminalEvent] {
    if code == cn_paste_end { return endPaste() }
    if let byte = UInt8(exactly: code), (paste?.count ?? 0) < Self.pasteLimit {
      paste?.append(byte)
    }
    return []
  }

  private mutating func receive(byte: UInt8) -> [Key] {
    switch sequence {
    case .none: return plain(byte)
    case .escape: return afterEscape(byte)
    case .single:
      sequence = .none
      return Key(finalByte: byte, parameters: []).map { [$0] } ?? []
    case .control(let parameters):
      return inControlSequence(byte, parameters)
    case .string(let escaped):
      let isOver = byte == 0x07 || (escaped && byte == UInt8(ascii: "\\"))
      sequence = isOver ? .none : .string(escaped: byte == 0x1b)
      return []
    }
  }

  private mutating func inControlSequence(_ byte: UInt8, _ parameters: [UInt8]) -> [Key] {
    switch byte {
    case 0x20...0x3f where parameters.count < 64:
      sequence = .control(parameters: parameters + [byte])
      return []
    case 0x20...0x7e:
      sequence = .none
      return Key(finalByte: byte, parameters: parameters).map { [$0] } ?? []
    default:
      sequence = .none
      return plain(byte)
    }
  }

  private mutating func afterEscape(_ byte: UInt8) -> [Key] {
    sequence = .none
    switch byte {
    case UInt8(ascii: "["): sequence = .control(parameters: [])
    case UInt8(ascii: "O"): sequence = .single
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "_"):
      sequence = .string(escaped: false)
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

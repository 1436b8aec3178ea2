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
    case control(length: Int)
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
      return []
    case .control(let length):
      switch byte {
      case 0x20...0x3f where length < 64: sequence = .control(length: length + 1)
      case 0x20...0x7e: sequence = .none
      default:
        sequence = .none
        return plain(byte)
      }
      return []
    case .string(let escaped):
      let isOver = byte == 0x07 || (escaped && byte == UInt8(ascii: "\\"))
      sequence = isOver ? .none : .string(escaped: byte == 0x1b)
      return []
    }
  }

  private mutating func afterEscape(_ byte: UInt8) -> [Key] {
    sequence = .none
    switch byte {
    case UInt8(ascii: "["): sequence = .control(length: 0)
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

extension Key {
  /// The key behind a code above 255; nil for those that mean nothing here.
  init?(code: Int32) {
    switch code {
    case KEY_UP: self = .up
    case KEY_DOWN: self = .down
    case KEY_LEFT: self = .left
    case KEY_RIGHT: self = .right
    case KEY_PPAGE: self = .pageUp
    case KEY_NPAGE: self = .pageDown
    case KEY_HOME, KEY_A1, KEY_FIND: self = .home
    case KEY_END, KEY_C1, KEY_SELECT: self = .end
    case KEY_ENTER: self = .enter
    case KEY_BTAB: self = .backtab
    case KEY_BACKSPACE: self = .backspace
    case KEY_DC: self = .delete
    case KEY_IC: self = .insert
    case cn_function_zero + 1...cn_function_zero + 63:
      self = .function(Int(code - cn_function_zero))
    default: return nil
    }
  }
}

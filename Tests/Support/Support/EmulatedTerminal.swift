import CVTerm

/// What a terminal would show after the bytes that it was fed.
@safe
package final class EmulatedTerminal {
  /// One cell of the screen.
  package struct Cell: Sendable, Hashable {
    /// Base and marks; empty where nothing was written, and under the right half of a wide one.
    package var text: String
    /// 1 or 2.
    package var width: Int
    package var isBold: Bool
    package var isUnderlined: Bool
    package var isReverse: Bool
    /// The number of an indexed foreground; nil for any other.
    package var foreground: UInt8?
    /// The number of an indexed background; nil for any other.
    package var background: UInt8?
  }

  /// The modes that a program has to give back.
  package struct Modes: Sendable, Hashable {
    /// The second screen, without the history of a shell.
    package var isAlternateScreen = false
    package var isCursorShown = true
    package var reportsMouse = false

    /// The modes in which a terminal starts.
    package init() {}
  }

  private final class Properties {
    var modes = Modes()
  }

  private let properties = Properties()
  private let callbacks: UnsafeMutablePointer<VTermScreenCallbacks>
  private let emulator: OpaquePointer
  private let screen: OpaquePointer
  /// Columns.
  package private(set) var columns: Int
  /// Rows.
  package private(set) var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    guard let emulator = unsafe vterm_new(Int32(rows), Int32(columns)) else {
      preconditionFailure("an emulator is to be had")
    }
    unsafe self.emulator = unsafe emulator
    unsafe vterm_set_utf8(emulator, 1)
    unsafe screen = unsafe vterm_obtain_screen(emulator)
    unsafe vterm_screen_enable_altscreen(screen, 1)
    unsafe callbacks = .allocate(capacity: 1)
    unsafe callbacks.initialize(to: VTermScreenCallbacks())
    unsafe callbacks.pointee.settermprop = { property, value, user in
      guard let value = unsafe value, let user = unsafe user else { return 1 }
      let properties = unsafe Unmanaged<Properties>.fromOpaque(user).takeUnretainedValue()
      switch property {
      case VTERM_PROP_ALTSCREEN:
        properties.modes.isAlternateScreen = unsafe value.pointee.boolean != 0
      case VTERM_PROP_CURSORVISIBLE:
        properties.modes.isCursorShown = unsafe value.pointee.boolean != 0
      case VTERM_PROP_MOUSE: properties.modes.reportsMouse = unsafe value.pointee.number != 0
      default: break
      }
      return 1
    }
    unsafe vterm_screen_set_callbacks(
      screen, callbacks, Unmanaged.passUnretained(properties).toOpaque())
    unsafe vterm_screen_reset(screen, 1)
  }

  deinit {
    unsafe vterm_free(emulator)
    unsafe callbacks.deallocate()
  }

  /// The modes that the terminal is in.
  package var modes: Modes { properties.modes }

  /// Takes bytes as a terminal does.
  package func feed(_ bytes: [UInt8]) {
    // It puts four times of what it gets on the stack.
    for start in stride(from: 0, to: bytes.count, by: 4_096) {
      let text = bytes[start..<min(start + 4_096, bytes.count)].map(CChar.init(bitPattern:))
      _ = unsafe vterm_input_write(emulator, text, text.count)
    }
  }

  /// Changes the size.
  package func resize(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    unsafe vterm_set_size(emulator, Int32(rows), Int32(columns))
  }

  /// One row as text, blanks at its end cut off.
  package func line(_ row: Int) -> String {
    var line = ""
    var column = 0
    while column < columns {
      let cell = cell(column: column, row: row)
      line += cell.text.isEmpty ? " " : cell.text
      column += cell.width
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// One cell.
  package func cell(column: Int, row: Int) -> Cell {
    var raw = VTermScreenCell()
    _ = unsafe vterm_screen_get_cell(screen, VTermPos(row: Int32(row), col: Int32(column)), &raw)
    let characters = [
      raw.chars.0, raw.chars.1, raw.chars.2, raw.chars.3, raw.chars.4, raw.chars.5,
    ]
    var text = String.UnicodeScalarView()
    for value in characters.prefix(while: { $0 != 0 }) {
      if let scalar = Unicode.Scalar(value) { text.append(scalar) }
    }
    return Cell(
      text: String(text), width: Int(raw.width), isBold: raw.attrs.bold != 0,
      isUnderlined: raw.attrs.underline != 0, isReverse: raw.attrs.reverse != 0,
      foreground: Self.index(raw.fg, isDefault: 0x02),
      background: Self.index(raw.bg, isDefault: 0x04))
  }

  private static func index(_ color: VTermColor, isDefault: UInt8) -> UInt8? {
    let type = unsafe color.type
    guard type & 0x01 == 1, type & isDefault == 0 else { return nil }
    return unsafe color.indexed.idx
  }
}

import CNcurses
import Canvas

extension Key {
  /// The key for an ncurses key code above 255; nil for unused keys.
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
    case KEY_BTAB: self = .backTab
    case KEY_BACKSPACE: self = .backspace
    case KEY_DC: self = .delete
    case KEY_IC: self = .insert
    case cn_function_zero + 1...cn_function_zero + 63:
      self = .function(Int(code - cn_function_zero))
    default: return nil
    }
  }

  /// The key for a control sequence that nearly all terminals send, even if the terminal type does
  /// not list it.
  ///
  /// Types that stand in for unknown ones, such as `vt100`, list only few keys.
  init?(finalByte: UInt8, parameters: [UInt8]) {
    switch (String(decoding: parameters, as: UTF8.self), Character(Unicode.Scalar(finalByte))) {
    case ("", "A"): self = .up
    case ("", "B"): self = .down
    case ("", "C"): self = .right
    case ("", "D"): self = .left
    case ("", "H"), ("1", "~"), ("7", "~"): self = .home
    case ("", "F"), ("4", "~"), ("8", "~"): self = .end
    // The keypad's Enter after ESC O. After ESC [ it is a mouse report, which is decoded elsewhere.
    case ("", "M"): self = .enter
    case ("", "Z"): self = .backTab
    case ("2", "~"): self = .insert
    case ("3", "~"): self = .delete
    case ("5", "~"): self = .pageUp
    case ("6", "~"): self = .pageDown
    case ("", "P"): self = .function(1)
    case ("", "Q"): self = .function(2)
    case ("", "R"): self = .function(3)
    case ("", "S"): self = .function(4)
    case (let number, "~"):
      guard let number = Int(number), let function = Self.functions[number] else { return nil }
      self = .function(function)
    default: return nil
    }
  }

  /// Function keys by the number that terminals of the VT220 family send; the numbers have gaps.
  private static let functions = [
    11: 1, 12: 2, 13: 3, 14: 4, 15: 5, 17: 6, 18: 7, 19: 8, 20: 9, 21: 10, 23: 11, 24: 12,
  ]
}

import Canvas

/// The reports of terminals about the mouse.
extension MouseEvent {
  /// Decodes a report in decimal numbers (SGR, mode 1006), such as `<0;5;3`.
  ///
  /// Nil for events that are not reported. A release ends in another letter and is not passed here.
  init?(decimal parameters: [UInt8]) {
    guard parameters.first == UInt8(ascii: "<") else { return nil }
    let numbers = parameters.dropFirst().split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
    ).map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 }
    guard numbers.count == 3 else { return nil }
    self.init(code: numbers[0], column: numbers[1], row: numbers[2])
  }

  /// Decodes a report of an older terminal: three bytes, each 32 too large.
  init?(bytes: [UInt8]) {
    guard bytes.count == 3, bytes.allSatisfy({ $0 >= 32 }) else { return nil }
    self.init(code: Int(bytes[0]) - 32, column: Int(bytes[1]) - 32, row: Int(bytes[2]) - 32)
  }

  private init?(code: Int, column: Int, row: Int) {
    guard (1..<10_000).contains(column), (1..<10_000).contains(row) else { return nil }
    // The bits 4, 8 and 16 (Shift, Alt, Ctrl) are ignored; bit 32 marks a move.
    let action: Action
    switch code & ~0b1_1100 {
    case 0: action = .press(.left)
    case 1: action = .press(.middle)
    case 2: action = .press(.right)
    case 64: action = .wheelUp
    case 65: action = .wheelDown
    default: return nil
    }
    self.init(action, column: column - 1, row: row - 1)
  }
}

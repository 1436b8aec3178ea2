/// A mouse event over a cell; moves and releases are not reported.
package struct MouseEvent: Sendable, Hashable {
  /// A button of the mouse.
  package enum Button: Sendable, Hashable {
    case left
    case middle
    case right
  }

  /// The kind of event.
  package enum Action: Sendable, Hashable {
    case press(Button)
    case wheelUp
    case wheelDown
  }

  /// The kind of event.
  package var action: Action
  /// The column, from 0 to 9,998, whatever size the terminal reports.
  package var column: Int
  /// The row, from 0 to 9,998.
  package var row: Int
  /// Whether this press completes a double click.
  package var isDouble = false

  package init(_ action: Action, column: Int, row: Int) {
    self.action = action
    self.column = column
    self.row = row
  }
}

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

/// Detects double clicks by the time between presses.
struct DoubleClickDetector: Sendable {
  /// Maximum time between the presses of a double click.
  static let bound = Duration.milliseconds(400)

  private var last: (event: MouseEvent, time: Duration)?

  /// Marks an event that completes a double click.
  ///
  /// A double click is two presses of the same button on the same cell within the bound; a third
  /// press begins a new one.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - time: The time of the event since a fixed moment.
  /// - Returns: The event with its mark.
  mutating func receive(_ event: MouseEvent, at time: Duration) -> MouseEvent {
    var event = event
    event.isDouble = false
    guard case .press = event.action else {
      last = nil
      return event
    }
    if let last, last.event == event, time >= last.time, time - last.time <= Self.bound {
      self.last = nil
      event.isDouble = true
    } else {
      last = (event, time)
    }
    return event
  }
}

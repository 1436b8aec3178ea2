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
  package let action: Action
  /// The cell; it may lie outside the screen if the window has just shrunk.
  ///
  /// Column and row are at most 9,998, whatever size the terminal reports.
  package let cell: Point
  /// Whether this press completes a double click; the first press came as an event of its own.
  package var isDouble: Bool

  /// An event over the cell at a column and a row.
  package init(_ action: Action, column: Int, row: Int, isDouble: Bool = false) {
    self.action = action
    cell = Point(column: column, row: row)
    self.isDouble = isDouble
  }
}

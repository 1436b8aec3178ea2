package import Canvas

/// A mouse event over a cell.
package struct MouseInput: Sendable, Hashable {
  /// The kind of event.
  package enum Action: Sendable, Hashable {
    /// The left button was pressed.
    case press
    /// The second press of a double click of the left button; the first came as `press`.
    case doublePress
    /// Another button was pressed.
    case otherPress
    case wheelUp
    case wheelDown
  }

  /// The kind of event.
  package let action: Action
  /// The cell; it may lie outside the screen if the window has just shrunk.
  package let place: Point

  package init(_ action: Action, column: Int, row: Int) {
    self.action = action
    place = Point(column: column, row: row)
  }
}

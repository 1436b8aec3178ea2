package import Canvas

/// What the mouse did over a cell.
package struct MouseInput: Sendable, Hashable {
  /// What was done.
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

  /// What was done.
  package let action: Action
  /// The cell; perhaps outside the screen, if that has just become smaller.
  package let place: Point

  package init(_ action: Action, column: Int, row: Int) {
    self.action = action
    place = Point(column: column, row: row)
  }
}

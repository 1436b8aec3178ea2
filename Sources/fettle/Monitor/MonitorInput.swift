import JobScreen
import Terminal

extension JobScreen.Key {
  /// Converts a key of the terminal.
  init(_ key: TerminalKey) {
    self =
      switch key {
      case .character(let character): .character(character)
      case .alt(let character): .alt(character)
      case .control(let character): .control(character)
      case .function(let number): .function(number)
      case .up: .up
      case .down: .down
      case .left: .left
      case .right: .right
      case .pageUp: .pageUp
      case .pageDown: .pageDown
      case .home: .home
      case .end: .end
      case .enter: .enter
      case .escape: .escape
      case .tab: .tab
      case .backtab: .backTab
      case .backspace: .backspace
      case .delete: .delete
      case .insert: .insert
      }
  }
}

extension MouseInput {
  /// Converts a mouse event of the terminal.
  init(_ event: MouseEvent) {
    let action: Action =
      switch event.action {
      case .press(.left): event.isDouble ? .doublePress : .press
      case .press(.middle), .press(.right): .otherPress
      case .wheelUp: .wheelUp
      case .wheelDown: .wheelDown
      }
    self.init(action, column: event.column, row: event.row)
  }
}

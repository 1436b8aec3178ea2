/// The program between this one and the terminal of the user, if there is one.
enum Multiplexer: Sendable, Hashable {
  case none
  case tmux
  case screen

  /// Tells by the variables that they set.
  init(environment: (String) -> String?) {
    if environment("TMUX") != nil {
      self = .tmux
    } else if environment("STY") != nil {
      self = .screen
    } else {
      self = .none
    }
  }

  /// A command for the terminal, in the form in which it gets there.
  func wrapped(_ command: [UInt8]) -> [UInt8] {
    switch self {
    case .none: return command
    case .tmux:
      // Taken out of its wrapping, every escape was doubled.
      let inner = command.flatMap { $0 == 0x1b ? [0x1b, 0x1b] : [$0] }
      return command + Array("\u{1b}Ptmux;".utf8) + inner + Self.end
    case .screen:
      // It takes no longer string than 768 bytes and hands on the pieces as they come.
      return stride(from: 0, to: command.count, by: 700).flatMap { start in
        Array("\u{1b}P".utf8) + command[start..<min(start + 700, command.count)] + Self.end
      }
    }
  }

  private static let end = Array("\u{1b}\\".utf8)
}

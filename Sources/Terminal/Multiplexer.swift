/// The terminal multiplexer between this process and the user's terminal, if any.
enum Multiplexer: Sendable, Hashable {
  case none
  case tmux
  case screen

  /// Detects the multiplexer by its environment variable.
  init(environment: (String) -> String?) {
    if environment("TMUX") != nil {
      self = .tmux
    } else if environment("STY") != nil {
      self = .screen
    } else {
      self = .none
    }
  }

  /// A command for the user's terminal, wrapped so that the multiplexer passes it on.
  func wrapped(_ command: [UInt8]) -> [UInt8] {
    switch self {
    case .none: return command
    case .tmux:
      // tmux requires every escape inside the wrapping to be doubled.
      let inner = command.flatMap { $0 == 0x1b ? [0x1b, 0x1b] : [$0] }
      return command + Array("\u{1b}Ptmux;".utf8) + inner + Self.end
    case .screen:
      // GNU screen accepts strings of at most 768 bytes and passes each piece on at once.
      return stride(from: 0, to: command.count, by: 700).flatMap { start in
        Array("\u{1b}P".utf8) + command[start..<min(start + 700, command.count)] + Self.end
      }
    }
  }

  private static let end = Array("\u{1b}\\".utf8)
}

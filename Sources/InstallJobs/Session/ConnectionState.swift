/// How a session stands with its engine.
public enum ConnectionState: Sendable, Hashable {
  /// The engine can be reached.
  case connected
  /// The engine went away, and is tried to be reached again; jobs go on without it, and are followed on
  /// from where they are then.
  case lost(InstallationError)
  /// The session has ended: the engine did not come back in time, is another one, or refuses. Nothing is
  /// tried any more, and everything that waits has ended with this error.
  case givenUp(InstallationError)
  /// The session was closed.
  case closed

  /// Whether nothing follows.
  public var isFinal: Bool {
    switch self {
    case .connected, .lost: false
    case .givenUp, .closed: true
    }
  }
}

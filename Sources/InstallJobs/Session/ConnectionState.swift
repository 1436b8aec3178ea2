/// The state of a session's connection to its engine.
public enum ConnectionState: Sendable, Hashable {
  /// The engine can be reached.
  case connected
  /// The connection was lost, and the session tries to reconnect.
  ///
  /// Jobs continue in the meantime; after a reconnection the session follows them from their
  /// current state.
  case lost(InstallationError)
  /// The session has ended: the engine did not return in time, is a different engine, or refuses
  /// the session.
  ///
  /// The session does not reconnect any more, and all waiting calls have ended with this error.
  case givenUp(InstallationError)
  /// The session was closed.
  case closed

  /// Whether no other state follows.
  public var isFinal: Bool {
    switch self {
    case .connected, .lost: false
    case .givenUp, .closed: true
    }
  }
}

extension Requester {
  /// The user name of an engine that pauses its job because the machine is shutting down.
  ///
  /// It contains a space, so that no account can have it.
  private static let shutdownName = "system shutdown"

  /// Returns the requester for a pause of a job because the machine is shutting down.
  ///
  /// - Parameter uid: The user id of the engine.
  /// - Returns: The requester; the next engine resumes the jobs that it paused.
  public static func shutdown(uid: UInt32) -> Requester {
    Requester(uid: uid, user: shutdownName)
  }

  /// Whether the requester is a shutdown of the machine, not a user.
  public var isShutdown: Bool { user == Self.shutdownName }
}

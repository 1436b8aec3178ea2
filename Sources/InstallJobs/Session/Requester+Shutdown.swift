extension Requester {
  /// The name under which an engine holds a job because the machine is shutting down.
  ///
  /// No account can have it: it holds a blank.
  private static let shutdownName = "system shutdown"

  /// An engine that holds its job because the machine is shutting down.
  ///
  /// - Parameter uid: The user of the engine.
  /// - Returns: The requester; the next engine resumes what it holds.
  public static func shutdown(uid: UInt32) -> Requester {
    Requester(uid: uid, user: shutdownName)
  }

  /// Whether it is a shutdown of the machine and not a user.
  public var isShutdown: Bool { user == Self.shutdownName }
}

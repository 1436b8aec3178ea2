public import InstallJobs

extension UpdateSession {
  /// Creates a session with a mock engine, for tests.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - clientName: The client name of the session's jobs.
  ///   - isReadOnly: Whether the session is read-only.
  public init(engine: MockEngine, clientName: String = "test", isReadOnly: Bool = false) {
    self.init(backend: MockSession(engine), clientName: clientName, isReadOnly: isReadOnly)
  }
}

extension UpdateInstaller {
  /// Creates an installer for a mock engine, without a session (row A2).
  public init(
    engine: MockEngine, defaultOptions: InstallationOptions = InstallationOptions()
  ) {
    self.init(backend: engine, defaultOptions: defaultOptions)
  }
}

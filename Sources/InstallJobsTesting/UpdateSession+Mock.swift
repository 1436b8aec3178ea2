public import InstallJobs

extension UpdateSession {
  /// A session with a mock engine, for tests.
  ///
  /// - Parameters:
  ///   - engine: The engine.
  ///   - clientName: The name under which the session's jobs are recorded.
  ///   - isReadOnly: Whether the session may only look.
  public init(engine: MockEngine, clientName: String = "test", isReadOnly: Bool = false) {
    self.init(backend: MockSession(engine), clientName: clientName, isReadOnly: isReadOnly)
  }
}

extension UpdateInstaller {
  /// An installer over a mock engine, without a session (row A2).
  public init(
    engine: MockEngine, defaultOptions: InstallationOptions = InstallationOptions()
  ) {
    self.init(backend: engine, defaultOptions: defaultOptions)
  }
}

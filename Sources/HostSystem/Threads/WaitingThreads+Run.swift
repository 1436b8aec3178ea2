package import InstallJobs

extension WaitingThreads {
  /// Runs a function on these threads, including the nonisolated functions that it calls.
  package func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(InstallationError) -> Value
  ) async throws(InstallationError) -> Value {
    let result: Result<Value, InstallationError> = await withTaskExecutorPreference(self) {
      @concurrent () async -> Result<Value, InstallationError> in
      do throws(InstallationError) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Runs a function that does not throw; see ``run(_:)``.
  package func run<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
    await withTaskExecutorPreference(self) { @concurrent () async -> Value in await body() }
  }
}

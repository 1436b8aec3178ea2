// The implementation of the forms that wait for the result.
extension UpdateInstaller {
  /// Starts a job and waits for its verified result.
  ///
  /// Cancelling the task requests an abort of the job, even if the engine accepts the job only
  /// after the cancellation.
  ///
  /// - Throws: The errors of `begin`; `cancelled` if the task is cancelled before the job was
  ///   accepted.
  nonisolated func result(
    of begin:
      @escaping @Sendable (UpdateInstaller) async throws(InstallationError) ->
      InstallationJob
  ) async throws(InstallationError) -> InstallationResult {
    let (answers, answer) = AsyncStream.makeStream(
      of: Result<InstallationJob, InstallationError>.self)
    Task {
      let submitted = await Self.capture { () async throws(InstallationError) in
        try await begin(self)
      }
      // The caller's task was cancelled and no longer waits for the job.
      if case .terminated = answer.yield(submitted), case .success(let job) = submitted {
        await job.requestAbortUntilAnswered()
      }
      answer.finish()
    }
    var reader = answers.makeAsyncIterator()
    guard let submitted = await reader.next() else {
      throw InstallationError(
        .cancelled, "the task was cancelled before the job was accepted", class: .transient,
        hint: "a job that is accepted after that is aborted; look at the list of jobs")
    }
    return try await Self.result(of: try submitted.get())
  }

  private static func result(
    of job: InstallationJob
  ) async throws(InstallationError) -> InstallationResult {
    let outcome = await withTaskCancellationHandler {
      // A separate task: in the cancelled task the wait for the partial result would end at once.
      await Task {
        await Self.capture { () async throws(InstallationError) in try await job.result }
      }.value
    } onCancel: {
      Task { await job.requestAbortUntilAnswered() }
    }
    return try outcome.get()
  }

  // withTaskCancellationHandler rethrows untyped; a Result keeps the type of the error.
  private static func capture<Value: Sendable>(
    _ body: () async throws(InstallationError) -> Value
  ) async -> Result<Value, InstallationError> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

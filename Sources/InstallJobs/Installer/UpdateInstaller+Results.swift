// The forms that await the result.
extension UpdateInstaller {
  /// Begins a job and waits for its verified result.
  ///
  /// Cancelling the task asks for an abort of the job; also of one that is accepted only after that.
  ///
  /// - Throws: What `begin` throws; `cancelled` when the task is cancelled before the job was accepted.
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
      // Nobody waits for it any more.
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
      // A task of its own: a cancelled one would not wait for the partial result.
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

extension InstallationJob {
  /// Waits until a condition is true.
  ///
  /// - Throws: `cancelled` if the task is cancelled before.
  func wait(
    until isSo: @Sendable (isolated InstallationJob) -> Bool
  ) async throws(InstallationError) {
    while !isSo(self) {
      guard !Task.isCancelled else { throw cancelledWait }
      lastWaiter += 1
      let number = lastWaiter
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          // A task that is already cancelled would never be resumed.
          if Task.isCancelled { continuation.resume() } else { waiting[number] = continuation }
        }
      } onCancel: {
        Task { await self.wake(number) }
      }
    }
  }

  /// Waits until a condition is true, with a time-out; returns at once if the condition is already
  /// true.
  func wait(
    within limit: Duration, _ clock: any Clock<Duration>,
    until isSo: @escaping @Sendable (isolated InstallationJob) -> Bool
  ) async throws(InstallationError) {
    guard !isSo(self) else { return }
    let isInTime = await withTaskGroup(of: Bool.self) { group in
      group.addTask { (try? await self.wait(until: isSo)) != nil }
      group.addTask {
        try? await SleepQueue.shared.sleep(for: limit, by: clock)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
    guard !isInTime, !isSo(self) else { return }
    throw Task.isCancelled ? cancelledWait : timedOut(limit)
  }

  private func wake(_ number: Int) { waiting.removeValue(forKey: number)?.resume() }

  private func timedOut(_ limit: Duration) -> InstallationError {
    InstallationError(
      .timedOut,
      isCompleted
        ? "job \(id) is over, and its callback had not returned within \(limit)"
        : "job \(id) was not over within \(limit)", class: .transient,
      hint: isCompleted ? "wait longer" : "wait longer, or abort the job")
  }

  private var cancelledWait: InstallationError {
    InstallationError(
      .cancelled, "the wait for job \(id) was cancelled; the job goes on", class: .transient,
      hint: "wait again, or abort the job")
  }
}

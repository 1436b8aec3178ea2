internal import Dispatch
internal import Synchronization

/// Threads for blocking calls: reading a disk, waiting for a program or a lock.
///
/// Swift's own pool has one thread for each processor; a disk that does not answer would block the
/// whole process. These threads are started on demand and end after one idle second.
///
/// As a task executor it runs the nonisolated parts of a task; see
/// `withTaskExecutorPreference(_:operation:)`.
package final class WaitingThreads: TaskExecutor {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var idle = 0
    var threads = 0
  }

  private static let idleSeconds = 1.0

  private let limit: Int
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// Creates a pool without threads.
  ///
  /// - Parameter limit: The most threads, at least 1; further calls wait for a free thread.
  package init(limit: Int) { self.limit = max(1, limit) }

  /// Runs a job of a task on one of the threads.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Runs a call on one of the threads as soon as a thread is free.
  package func perform(_ call: @escaping @Sendable () -> Void) {
    let startsThread = state.withLock { state in
      state.jobs.append(call)
      guard state.jobs.count > state.idle, state.threads < limit else { return false }
      state.threads += 1
      return true
    }
    if startsThread { start() } else { arrival.signal() }
  }

  private func start() {
    let thread = DetachedThread { [self] in work() }
    guard !thread.isRunning else { return }
    // The running threads make the waiting calls; if there is none, the current thread makes them.
    let isAlone = state.withLock { state in
      state.threads -= 1
      return state.threads == 0
    }
    guard isAlone else { return }
    while let call = next() { call() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in state.jobs.isEmpty ? nil : state.jobs.removeFirst() }
  }

  private func work() {
    while true {
      while let call = next() { call() }
      state.withLock { $0.idle += 1 }
      let isOver = arrival.wait(timeout: .now() + Self.idleSeconds) == .timedOut
      let ends = state.withLock { state in
        state.idle -= 1
        guard isOver, state.jobs.isEmpty else { return false }
        state.threads -= 1
        return true
      }
      if ends { return }
    }
  }
}

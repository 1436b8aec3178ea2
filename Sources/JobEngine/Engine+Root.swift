import HostSystem
import InstallJobs
import Logging
import PackageProvider
internal import Synchronization

// Reads the restart marker and the lock holder of the package root. The root's disk may not answer,
// so nothing is read on the engine's own thread.
extension Engine {
  /// The restart marker and the lock holder of the root.
  struct RootMarks: Sendable {
    var reboot: RebootMarker
    var holder: LockHolder?
  }

  /// How long ``rootMarks()`` waits for the root's disk, in seconds.
  private static let rootSeconds = 1.0
  /// Maximum number of unfinished readings at a time.
  private static let mostRootReadings = 4

  /// The restart marker and the lock holder of the root.
  ///
  /// When the root's disk does not answer within a second, the last known marks; nil if there are
  /// none.
  func rootMarks() async -> RootMarks? {
    let isFull = rootReadings.count >= Self.mostRootReadings
    // The newest reading: older readings may wait for a disk that is gone.
    let newest = isFull ? rootReadings[lastRootReading] : nil
    let reading = newest ?? beginRootReading()
    if let marks = await reading.value(within: .seconds(Self.rootSeconds)) { return marks }
    let state = lastRootMarks == nil ? "is not known" : "is what it was before"
    logger.warning("the disk of \(provider.root) does not answer; its state \(state)")
    return lastRootMarks
  }

  private func beginRootReading() -> Task<RootMarks, Never> {
    lastRootReading += 1
    let (threads, provider, number) = (providerThreads, provider, lastRootReading)
    let reading = Task {
      let marks = await threads.run { () async -> RootMarks in
        RootMarks(reboot: await provider.rebootReasons(), holder: await provider.lockHolder())
      }
      rootReadings[number] = nil
      lastRootMarks = marks
      return marks
    }
    rootReadings[number] = reading
    return reading
  }

  /// Reads the restart marker of the root.
  nonisolated func rebootMarker() async -> RebootMarker {
    let provider = provider
    return await providerThreads.run { () async -> RebootMarker in await provider.rebootReasons() }
  }

  /// Finds the process that holds the package lock.
  nonisolated func lockHolder() async -> LockHolder? {
    let provider = provider
    return await providerThreads.run { () async -> LockHolder? in await provider.lockHolder() }
  }
}

extension Task where Failure == Never {
  /// Waits for the task's value with a time limit.
  ///
  /// - Parameters:
  ///   - limit: Maximum wait in real time. The task continues after it.
  ///   - grace: Maximum wait after the caller's task is cancelled; the cancellation also cancels
  ///     this task. Nil to ignore the cancellation.
  /// - Returns: The value; nil when it did not arrive in time.
  func value(within limit: Duration, onceCancelled grace: Duration? = nil) async -> Success? {
    let box = FirstAnswer<Success>()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        box.expect(continuation)
        let timer = box.giveUp(after: limit)
        Task<Void, Never> {
          box.answer(await self.value)
          timer.cancel()
        }
      }
    } onCancel: {
      guard let grace else { return }
      cancel()
      _ = box.giveUp(after: grace)
    }
  }
}

/// A continuation that the first answer resumes.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value?, Never>

  private struct State {
    var waiter: Waiter?
    /// An answer that arrived before the continuation.
    var early: Value??
  }

  private let state = Mutex(State())

  func expect(_ waiter: CheckedContinuation<Value?, Never>) {
    let early = state.withLock { state -> Value?? in
      if state.early == nil { state.waiter = waiter }
      return state.early
    }
    if let early { waiter.resume(returning: early) }
  }

  func answer(_ value: Value?) {
    let waiter = state.withLock { state -> Waiter? in
      defer { state.waiter = nil }
      if state.waiter == nil, state.early == nil { state.early = .some(value) }
      return state.waiter
    }
    waiter?.resume(returning: value)
  }

  /// Answers nil after `time`.
  func giveUp(after time: Duration) -> Task<Void, Never> {
    Task {
      do { try await SleepQueue.shared.sleep(for: time, by: ContinuousClock()) } catch { return }
      answer(nil)
    }
  }
}

import HostSystem
import InstallJobs
import Logging
import PackageProvider
internal import Synchronization

// What the engine reads of the package root besides plans. The root's disk may not answer, so none of
// it is read on the engine's own thread.
extension Engine {
  /// The restart marker and the lock holder of the root.
  struct RootMarks: Sendable {
    var reboot: RebootMarker
    var holder: LockHolder?
  }

  /// How long ``rootMarks()`` waits for the root's disk, in seconds.
  private static let rootSeconds = 1.0
  /// How many readings that do not end there may be at a time.
  private static let mostRootReadings = 4

  /// The restart marker and the lock holder of the root, as they were last seen where its disk does not
  /// answer within a second; nil where they were never seen.
  func rootMarks() async -> RootMarks? {
    let isFull = rootReadings.count >= Self.mostRootReadings
    // The newest one: others may wait for a disk that has gone.
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

  /// The restart marker of the root.
  nonisolated func rebootMarker() async -> RebootMarker {
    let provider = provider
    return await providerThreads.run { () async -> RebootMarker in await provider.rebootReasons() }
  }

  /// The process that holds the package lock.
  nonisolated func lockHolder() async -> LockHolder? {
    let provider = provider
    return await providerThreads.run { () async -> LockHolder? in await provider.lockHolder() }
  }
}

extension Task where Failure == Never {
  /// Waits for the task's value.
  ///
  /// - Parameters:
  ///   - limit: The longest wait in real time. The task goes on after it.
  ///   - grace: The longest wait once the caller's task is cancelled, which cancels this one, too; nil
  ///     where that changes nothing.
  /// - Returns: The value; nil where it was not there in time.
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

/// A continuation that is resumed by whoever answers first.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<Value?, Never>

  private struct State {
    var waiter: Waiter?
    /// An answer that came before its waiter.
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

  /// Answers nil later.
  func giveUp(after time: Duration) -> Task<Void, Never> {
    Task {
      do { try await SleepQueue.shared.sleep(for: time, by: ContinuousClock()) } catch { return }
      answer(nil)
    }
  }
}

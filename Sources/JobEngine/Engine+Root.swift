import InstallJobs
import Logging
import PackageTools
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
  /// answer within a second.
  func rootMarks() async -> RootMarks {
    guard rootReadings < Self.mostRootReadings else { return lastRootMarks }
    rootReadings += 1
    let (threads, provider) = (providerThreads, provider)
    let reading = Task {
      let marks = await threads.run { () async -> RootMarks in
        RootMarks(reboot: await provider.rebootReasons(), holder: await provider.lockHolder())
      }
      rootReadings -= 1
      lastRootMarks = marks
      return marks
    }
    if let marks = await reading.value(within: .seconds(Self.rootSeconds)) { return marks }
    logger.warning("the disk of \(provider.root) does not answer; its state is what it was before")
    return lastRootMarks
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
  /// - Parameter limit: The longest wait in real time. The task goes on after it.
  /// - Returns: The value; nil where it was not there in time.
  func value(within limit: Duration) async -> Success? {
    let box = FirstAnswer<Success>()
    return await withCheckedContinuation { continuation in
      box.expect(continuation)
      let timer = Task<Void, Never> {
        do { try await Task<Never, Never>.sleep(for: limit) } catch { return }
        box.answer(nil)
      }
      Task<Void, Never> {
        box.answer(await self.value)
        timer.cancel()
      }
    }
  }
}

/// A continuation that is resumed by whoever answers first.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private let continuation = Mutex<CheckedContinuation<Value?, Never>?>(nil)

  func expect(_ continuation: CheckedContinuation<Value?, Never>) {
    self.continuation.withLock { $0 = continuation }
  }

  func answer(_ value: Value?) {
    let waiting = continuation.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    waiting?.resume(returning: value)
  }
}

import CProcess
@unsafe @preconcurrency import Dispatch
import HostSystem
import Synchronization

/// Wakes a reader when a file of a job folder changes or a process of the job ends.
///
/// Uses the kernel's events instead of polling; ``wakeUp(after:on:because:)`` covers changes
/// without an event.
final class FolderWatch: Sendable {
  /// One element for each wake-up; at most one element is buffered.
  let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let inotify: Descriptor
  private let source: any DispatchSourceRead
  /// Whether the kernel's events are suspended; see ``rearm()``.
  private let sourcePause: SourcePause
  private let timers = Mutex<[Reason: Task<Void, Never>]>([:])
  private let elapsed = Mutex<Set<Reason>>([])
  private let processes = Mutex<[ProcessExitNotification]>([])

  /// The reason of a timed wake-up, which happens without a kernel event.
  enum Reason: Sendable {
    /// A lock may be released without an event.
    case lock
    /// A process that reads an archive sends no progress.
    case unpacking
    /// A process left from the job ended before it could be watched.
    case leftover
    /// The time-out for scripts that continue without a tool.
    case scripts
  }

  /// Watches folders; missing folders are left out.
  ///
  /// Nil when inotify is unavailable. Only the cancel handler of the dispatch source closes the
  /// descriptor.
  init?(_ folders: [String]) {
    guard let inotify = Descriptor(watch_open()) else { return nil }
    for folder in folders { unsafe watch_add(inotify.number, folder) }
    self.inotify = inotify
    (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let queue = DispatchQueue(label: "fettle.folder-watch")
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.number, queue: queue)
    let rest = SourcePause(of: source)
    self.sourcePause = rest
    source.setEventHandler { [continuation] in
      watch_drain(inotify.number)
      rest.suspend()
      continuation.yield()
    }
    source.setCancelHandler { withExtendedLifetime(inotify) {} }
    source.resume()
    continuation.yield()
  }

  deinit {
    // A dispatch source must not be deallocated while it is suspended.
    sourcePause.finish()
    source.cancel()
    timers.withLock { looks in for look in looks.values { look.cancel() } }
  }

  /// Resumes the kernel's events, which are suspended after each wake-up.
  ///
  /// A busy folder causes hundreds of events a second, and each event would wake a thread.
  func rearm() { sourcePause.resume() }

  /// The suspension of a dispatch source, whose calls to suspend and resume must be balanced.
  private final class SourcePause: Sendable {
    private let source: any DispatchSourceRead
    private let state = Mutex(State.awake)

    private enum State {
      case awake
      case suspended
      /// The source must not be suspended again.
      case over
    }

    init(of source: any DispatchSourceRead) { self.source = source }

    func suspend() {
      state.withLock { state in
        guard state == .awake else { return }
        source.suspend()
        state = .suspended
      }
    }

    func resume() { transition(for: .awake) }

    func finish() { transition(for: .over) }

    private func transition(for next: State) {
      state.withLock { state in
        if state == .suspended { source.resume() }
        if state != .over { state = next }
      }
    }
  }

  /// Wakes the reader once after a time of a clock.
  ///
  /// There is one pending wake-up for each reason: a later call replaces an earlier one.
  func wakeUp(after time: Duration, on clock: any Clock<Duration>, because reason: Reason) {
    timers.withLock { looks in
      looks[reason]?.cancel()
      looks[reason] = Task { [weak self, continuation] in
        guard (try? await clock.sleep(for: time)) != nil else { return }
        self?.elapsed.withLock { _ = $0.insert(reason) }
        continuation.yield()
      }
    }
  }

  /// Whether a wake-up for a reason has happened at least once.
  func hasElapsed(_ reason: Reason) -> Bool { elapsed.withLock { $0.contains(reason) } }

  /// Also wakes the reader when a process closes a file of a folder that it had opened for writing.
  func addReleases(in folder: String) { unsafe watch_add_releases(inotify.number, folder) }

  /// Wakes the reader once when a process has ended.
  func add(_ process: Descriptor) {
    let notification = ProcessExitNotification(of: process) { [continuation] in
      continuation.yield()
    }
    processes.withLock { $0.append(notification) }
  }
}

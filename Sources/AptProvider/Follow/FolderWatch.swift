import CProcess
@unsafe @preconcurrency import Dispatch
import HostSystem
import Synchronization

/// Wakes a reader when something happens in a job folder or to the processes of a job.
///
/// The kernel reports; nothing is looked at again and again.
final class FolderWatch: Sendable {
  /// One element for each time there may be something new; never more than one waits.
  let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let inotify: Descriptor
  private let source: any DispatchSourceRead
  /// Whether reports of the kernel are left where they are; see ``rearm()``.
  private let rest: Rest
  private let looks = Mutex<[Reason: Task<Void, Never>]>([:])
  private let elapsed = Mutex<Set<Reason>>([])
  private let processes = Mutex<[ProcessExitNotification]>([])

  /// Why there is a look although nothing was reported.
  enum Reason: Sendable {
    /// A lock may be let go without a sign.
    case lock
    /// A process that reads an archive says nothing of how far it is.
    case unpacking
    /// What is left of a job ended before it could be watched.
    case rest
    /// Scripts that go on without a tool are not waited for any longer.
    case scripts
  }

  /// Watches folders; those that do not exist are left out.
  ///
  /// The source of this watch closes its descriptor in its cancel handler alone.
  init?(_ folders: [String]) {
    guard let inotify = Descriptor(watch_open()) else { return nil }
    for folder in folders { unsafe watch_add(inotify.number, folder) }
    self.inotify = inotify
    (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let queue = DispatchQueue(label: "fettle.folder-watch")
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.number, queue: queue)
    let rest = Rest(of: source)
    self.rest = rest
    source.setEventHandler { [continuation] in
      watch_drain(inotify.number)
      rest.begin()
      continuation.yield()
    }
    source.setCancelHandler { withExtendedLifetime(inotify) {} }
    source.resume()
    continuation.yield()
  }

  deinit {
    // A source that rests must not be let go.
    rest.finish()
    source.cancel()
    looks.withLock { looks in for look in looks.values { look.cancel() } }
  }

  /// Has the kernel's reports heard again; after each that was, they wait until this.
  ///
  /// A busy folder has hundreds of them a second, and each would wake a thread.
  func rearm() { rest.end() }

  /// Whether a source is suspended, which must be told as often as it is taken back.
  private final class Rest: Sendable {
    private let source: any DispatchSourceRead
    private let state = Mutex(State.awake)

    private enum State {
      case awake
      case suspended
      /// Never to be suspended again.
      case over
    }

    init(of source: any DispatchSourceRead) { self.source = source }

    func begin() {
      state.withLock { state in
        guard state == .awake else { return }
        source.suspend()
        state = .suspended
      }
    }

    func end() { leave(for: .awake) }

    func finish() { leave(for: .over) }

    private func leave(for next: State) {
      state.withLock { state in
        if state == .suspended { source.resume() }
        if state != .over { state = next }
      }
    }
  }

  /// Wakes the reader once more after a while of a clock's time.
  ///
  /// There is one such look ahead for each reason: a later call takes the place of an earlier one.
  func wakeUp(after time: Duration, on clock: any Clock<Duration>, because reason: Reason) {
    looks.withLock { looks in
      looks[reason]?.cancel()
      looks[reason] = Task { [weak self, continuation] in
        guard (try? await clock.sleep(for: time)) != nil else { return }
        self?.elapsed.withLock { _ = $0.insert(reason) }
        continuation.yield()
      }
    }
  }

  /// Whether a wake-up for a reason has come at least once.
  func hasElapsed(_ reason: Reason) -> Bool { elapsed.withLock { $0.contains(reason) } }

  /// Wakes the reader, too, when somebody who could write to a file of a folder closes it.
  func addReleases(in folder: String) { unsafe watch_add_releases(inotify.number, folder) }

  /// Wakes the reader once more when a process has ended.
  func add(_ process: Descriptor) {
    let notification = ProcessExitNotification(of: process) { [continuation] in
      continuation.yield()
    }
    processes.withLock { $0.append(notification) }
  }
}

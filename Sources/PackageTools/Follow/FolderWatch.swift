import CProcess
@unsafe @preconcurrency import Dispatch

/// Wakes a reader when something happens in a job folder or to the processes of a job.
///
/// The kernel reports; nothing is looked at again and again.
final class FolderWatch: Sendable {
  /// One element for each time there may be something new; never more than one waits.
  let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let inotify: Descriptor
  private let source: any DispatchSourceRead

  /// Watches folders; those that do not exist are left out.
  init?(_ folders: [String]) {
    guard let inotify = Descriptor(watch_open()) else { return nil }
    for folder in folders { unsafe watch_add(inotify.number, folder) }
    self.inotify = inotify
    (wakeUps, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let queue = DispatchQueue(label: "fettle.folder-watch")
    source = DispatchSource.makeReadSource(fileDescriptor: inotify.number, queue: queue)
    source.setEventHandler { [continuation] in
      watch_drain(inotify.number)
      continuation.yield()
    }
    source.setCancelHandler { withExtendedLifetime(inotify) {} }
    source.resume()
    continuation.yield()
  }

  deinit { source.cancel() }

  /// Wakes the reader once more after a while, if nothing does before.
  func wakeUp(afterMilliseconds time: Int) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(time)) { [continuation] in
      continuation.yield()
    }
  }

  /// Wakes the reader once more after a while of a clock's time.
  func wakeUp(after time: Duration, on clock: any Clock<Duration>) {
    Task { [continuation] in
      try? await clock.sleep(for: time)
      continuation.yield()
    }
  }

  /// Wakes the reader, too, when somebody who could write to a file of a folder closes it.
  func addReleases(in folder: String) { unsafe watch_add_releases(inotify.number, folder) }

  /// Wakes the reader once more when a process has ended.
  func add(_ process: Descriptor) {
    let queue = DispatchQueue(label: "fettle.process-watch")
    let source = DispatchSource.makeReadSource(fileDescriptor: process.number, queue: queue)
    source.setEventHandler { [continuation] in
      // A descriptor of a process stays readable, so once is enough.
      source.cancel()
      continuation.yield()
    }
    source.setCancelHandler { withExtendedLifetime(process) {} }
    source.resume()
  }
}

extension Descriptor {
  /// Whether the process behind this descriptor has ended.
  var hasEnded: Bool { wait_readable(number, -1, -1, 0) != 0 }
}

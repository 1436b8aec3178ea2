internal import CProcess
internal import Synchronization

/// Memory that jobs needed for a moment, given back to the machine when they are over.
///
/// A job and those who watch it take pieces of many sizes, on several threads. What is free again
/// lies between what is kept, and the C library keeps it: after some 280 small jobs 13 MB of a heap of
/// 18 MB, with 5 MB in use all the time.
package final class SpareMemory: Sendable {
  /// The time after a job's end at which it is given back, together with that of jobs which end
  /// meanwhile: whoever watches has read the end by then, and one look through the heap serves all.
  static let delay = Duration.seconds(5)

  private let clock: any Clock<Duration>
  private let giveBack: @Sendable () -> Void
  private let isPlanned = Mutex(false)

  /// - Parameters:
  ///   - clock: What the delay is measured with.
  ///   - giveBack: Gives it back (malloc_trim(3)).
  init(clock: any Clock<Duration>, giveBack: @escaping @Sendable () -> Void = heap_give_back) {
    self.clock = clock
    self.giveBack = giveBack
  }

  /// Lets all threads of this process share one arena (mallopt(3)).
  ///
  /// The C library gives one to each thread, and what one of them let go of another does not use: after
  /// some 80 jobs on real packages 10 MB in fourteen arenas were free, with 2.3 MB in use, and went on
  /// growing. To be called before there are threads.
  package static func shareOneArena() { heap_share_arena() }

  /// Gives back what is free, after ``delay``.
  func giveBackSoon() {
    let isFirst = isPlanned.withLock { isPlanned in
      defer { isPlanned = true }
      return !isPlanned
    }
    guard isFirst else { return }
    Task { [self] in
      try? await clock.sleep(for: Self.delay)
      isPlanned.withLock { $0 = false }
      giveBack()
    }
  }
}

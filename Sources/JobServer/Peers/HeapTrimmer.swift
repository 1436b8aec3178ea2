internal import CProcess
internal import Synchronization

/// Returns memory that ended jobs have freed to the system.
///
/// A job and its clients allocate blocks of many sizes on several threads. Freed blocks lie between
/// blocks in use, and the C library keeps them: after about 280 small jobs, 13 MB of a heap of 18
/// MB were free, with 5 MB in use all the time.
package final class HeapTrimmer: Sendable {
  /// Delay between the end of a job and the return of its memory.
  ///
  /// Jobs that end within it share one pass over the heap, and by then clients have read the end of
  /// the job.
  static let delay = Duration.seconds(5)

  private let clock: any Clock<Duration>
  private let giveBack: @Sendable () -> Void
  private let isPlanned = Mutex(false)

  /// - Parameters:
  ///   - clock: The clock of the delay.
  ///   - giveBack: Returns the memory (malloc_trim(3)).
  init(clock: any Clock<Duration>, giveBack: @escaping @Sendable () -> Void = heap_give_back) {
    self.clock = clock
    self.giveBack = giveBack
  }

  /// Lets all threads of this process share one arena (mallopt(3)).
  ///
  /// The C library gives each thread its own arena, and memory that one thread frees is not used by
  /// another: after about 80 jobs on real packages 10 MB in fourteen arenas were free, with 2.3 MB
  /// in use, and the amount kept growing. Call this before the process starts threads.
  package static func shareOneArena() { heap_share_arena() }

  /// Returns free memory to the system after ``delay``.
  func scheduleTrim() {
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

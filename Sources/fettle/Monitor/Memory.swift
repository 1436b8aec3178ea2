import CProcess

/// Keeps the memory of a monitor that stays open all day small (mallopt(3), malloc_trim(3),
/// madvise(2)).
enum Memory: Sendable {
  /// Makes all threads share one malloc arena.
  ///
  /// Must be called before the first thread starts. The monitor's threads seldom allocate at the
  /// same moment; with one arena, all threads can reuse the memory that one thread allocated for a
  /// snapshot.
  static func shareOneArena() { heap_share_arena() }

  /// Returns free heap memory and the program's start-up code to the system.
  ///
  /// A snapshot temporarily needs several times the memory that is kept of it. The code stays in
  /// the page cache for other processes but no longer counts for this process.
  static func releaseUnused() {
    heap_give_back()
    code_give_back()
  }
}

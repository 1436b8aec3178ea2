import CProcess

/// What the C library's allocator keeps of the memory of a screen that is left open all day
/// (mallopt(3), malloc_trim(3)).
enum Heap: Sendable {
  /// Lets all threads share one arena.
  ///
  /// The monitor's threads seldom allocate at the same moment, and what one of them took for a
  /// snapshot can then be used by all. To be called before there are any.
  static func shareOneArena() { heap_share_arena() }

  /// Gives what nobody uses back to the system: after a snapshot, several times what is kept of it.
  static func giveBack() { heap_give_back() }
}

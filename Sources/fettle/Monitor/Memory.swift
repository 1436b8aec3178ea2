import CProcess

/// What a screen that is left open all day keeps of the machine's memory
/// (mallopt(3), malloc_trim(3), madvise(2)).
enum Memory: Sendable {
  /// Lets all threads share one arena.
  ///
  /// The monitor's threads seldom allocate at the same moment, and what one of them took for a
  /// snapshot can then be used by all. To be called before there are any.
  static func shareOneArena() { heap_share_arena() }

  /// Gives what nobody uses back to the system, after a snapshot several times what is kept of it,
  /// and lets go of the program's text that only the start ran: that one stays in the page cache for
  /// whoever runs it next, but no longer counts as this process's.
  static func giveBack() {
    heap_give_back()
    code_give_back()
  }
}

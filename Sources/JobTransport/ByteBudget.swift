internal import Synchronization

/// A number of bytes of memory that several connections share.
package final class ByteBudget: Sendable {
  private let limit: Int
  private let parent: ByteBudget?
  private let bytes = Mutex(0)

  /// - Parameters:
  ///   - limit: The most bytes that may be reserved at the same time.
  ///   - parent: A budget that the same bytes are reserved in, too.
  package init(limit: Int, within parent: ByteBudget? = nil) {
    self.limit = limit
    self.parent = parent
  }

  /// How many bytes are reserved.
  package var reserved: Int { bytes.withLock { $0 } }

  /// Reserves bytes.
  ///
  /// - Returns: Whether there was room; nothing is reserved otherwise.
  package func reserve(_ count: Int) -> Bool {
    let hasRoom = bytes.withLock { bytes in
      guard bytes + count <= limit else { return false }
      bytes += count
      return true
    }
    guard hasRoom, let parent else { return hasRoom }
    guard parent.reserve(count) else {
      bytes.withLock { $0 -= count }
      return false
    }
    return true
  }

  /// Gives back bytes that were reserved.
  package func release(_ count: Int) {
    bytes.withLock { $0 -= count }
    parent?.release(count)
  }
}

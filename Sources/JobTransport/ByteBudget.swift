internal import Synchronization

/// A limit on bytes of memory that several connections share.
package final class ByteBudget: Sendable {
  private let limit: Int
  private let parent: ByteBudget?
  private let bytes = Mutex(0)

  /// - Parameters:
  ///   - limit: Largest number of bytes reserved at the same time.
  ///   - parent: A budget in which the same bytes are reserved too.
  package init(limit: Int, within parent: ByteBudget? = nil) {
    self.limit = limit
    self.parent = parent
  }

  /// Number of reserved bytes.
  package var reserved: Int { bytes.withLock { $0 } }

  /// Reserves bytes.
  ///
  /// - Returns: False if there is no room; nothing is reserved then.
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

  /// Releases reserved bytes.
  package func release(_ count: Int) {
    bytes.withLock { $0 -= count }
    parent?.release(count)
  }
}

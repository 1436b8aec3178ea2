internal import Synchronization

/// A reservation in a ``ByteBudget``, released together with this object.
package final class BudgetShare: Sendable {
  private let budget: ByteBudget
  private let bytes = Mutex(0)

  /// A share of 0 bytes.
  package init(of budget: ByteBudget) { self.budget = budget }

  deinit { budget.release(bytes.withLock { $0 }) }

  /// Changes the number of reserved bytes.
  ///
  /// - Returns: False if the budget has no room; the share is unchanged then.
  package func resize(to count: Int) -> Bool {
    bytes.withLock { bytes in
      if count > bytes {
        guard budget.reserve(count - bytes) else { return false }
      } else {
        budget.release(bytes - count)
      }
      bytes = count
      return true
    }
  }
}

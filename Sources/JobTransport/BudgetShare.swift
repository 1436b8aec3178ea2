internal import Synchronization

/// What one thing keeps of a ``ByteBudget``; given back when nobody has the share any more.
package final class BudgetShare: Sendable {
  private let budget: ByteBudget
  private let bytes = Mutex(0)

  /// A share of nothing yet.
  package init(of budget: ByteBudget) { self.budget = budget }

  deinit { budget.release(bytes.withLock { $0 }) }

  /// Makes the share as large as what is kept.
  ///
  /// - Returns: Whether there was room; the share is as before otherwise.
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

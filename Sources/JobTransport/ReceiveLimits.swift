internal import JobWire
internal import Synchronization

/// Limits of the received data that one connection keeps in memory.
package final class ReceiveLimits: Sendable {
  /// The error for a used-up memory budget of the connections of one origin.
  package struct BudgetExceeded: Error, Sendable, Hashable {}

  private struct State {
    var line: Int
    var held = 0
    var peak = 0
    var arrivals = 0
  }

  private let budget: ByteBudget?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - line: Largest line in bytes, without its line feed.
  ///   - budget: The budget for the kept bytes; nil for no limit except `line`.
  package init(line: Int = WireProtocol.maximumLine, budget: ByteBudget? = nil) {
    self.budget = budget
    state = Mutex(State(line: line))
  }

  deinit { _ = reserveReceived(0) }

  /// Largest line in bytes.
  ///
  /// A change takes effect at the next read.
  package var line: Int {
    get { state.withLock { $0.line } }
    set { state.withLock { $0.line = newValue } }
  }

  /// Largest number of bytes that were kept at the same time.
  package var peak: Int { state.withLock { $0.peak } }

  /// Number of reads that returned data.
  package var arrivals: Int { state.withLock { $0.arrivals } }

  /// Sets the number of kept bytes after a read.
  ///
  /// - Returns: False if the budget has no room; the reserved number is unchanged then.
  func reserveReceived(_ count: Int) -> Bool {
    state.withLock { state in
      state.arrivals += 1
      let change = count - state.held
      if change > 0, let budget, !budget.reserve(change) { return false }
      if change < 0 { budget?.release(-change) }
      state.held = count
      state.peak = max(state.peak, count)
      return true
    }
  }
}

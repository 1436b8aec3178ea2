internal import JobWire
internal import Synchronization

/// How much of what one connection receives is kept in memory.
package final class ReceiveLimits: Sendable {
  /// The bytes that all connections of one origin may keep are used up.
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
  ///   - line: The most bytes of one line, without its line feed.
  ///   - budget: What the bytes that are kept are reserved in; nil for no bound but `line`.
  package init(line: Int = WireProtocol.maximumLine, budget: ByteBudget? = nil) {
    self.budget = budget
    state = Mutex(State(line: line))
  }

  deinit { _ = hold(0) }

  /// The most bytes of one line; a change is heeded from the next read on.
  package var line: Int {
    get { state.withLock { $0.line } }
    set { state.withLock { $0.line = newValue } }
  }

  /// The most bytes that were kept at the same time.
  package var peak: Int { state.withLock { $0.peak } }

  /// How often bytes have arrived.
  package var arrivals: Int { state.withLock { $0.arrivals } }

  /// Sets how many bytes are kept now, after more have arrived.
  ///
  /// - Returns: Whether the budget has room for them; false leaves what was kept before.
  func hold(_ count: Int) -> Bool {
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

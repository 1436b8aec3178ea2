internal import JobTransport
internal import Synchronization

/// Limits on the memory that connections buffer: one budget per user with the right to act, and one
/// per origin of view-only users.
///
/// The view-only budgets share one total.
final class BufferBudgets: Sendable {
  private struct Key: Hashable {
    var mayAct: Bool
    var origin: UInt32
  }

  private struct WeakBudget {
    weak var budget: ByteBudget?
  }

  private let limits: ServerLimits
  private let viewerBudget: ByteBudget
  private let budgets = Mutex<[Key: WeakBudget]>([:])

  init(limits: ServerLimits) {
    self.limits = limits
    viewerBudget = ByteBudget(limit: limits.allViewersBufferedBytes)
  }

  /// The budget that all connections of a user share.
  ///
  /// It exists as long as a connection uses it.
  func budget(of uid: UInt32, as seatClass: SeatClass) -> ByteBudget {
    let mayAct = seatClass == .owner || seatClass == .member
    let key = Key(mayAct: mayAct, origin: SeatTable.origin(of: uid, as: seatClass))
    return budgets.withLock { budgets in
      if let budget = budgets[key]?.budget { return budget }
      budgets = budgets.filter { $0.value.budget != nil }
      let budget =
        mayAct
        ? ByteBudget(limit: limits.bufferedBytes)
        : ByteBudget(limit: limits.viewerBufferedBytes, within: viewerBudget)
      budgets[key] = WeakBudget(budget: budget)
      return budget
    }
  }

  /// Bytes that all connections together have reserved.
  var reserved: Int {
    budgets.withLock { $0.values.reduce(0) { $0 + ($1.budget?.reserved ?? 0) } }
  }
}

internal import JobTransport
internal import Synchronization

/// The memory that connections may keep: one budget for each user who may act and for each origin that
/// may only look, the latter within one for all of them.
final class BufferBudgets: Sendable {
  private struct Key: Hashable {
    var mayAct: Bool
    var origin: UInt32
  }

  private struct WeakBudget {
    weak var budget: ByteBudget?
  }

  private let limits: ServerLimits
  private let lookers: ByteBudget
  private let budgets = Mutex<[Key: WeakBudget]>([:])

  init(limits: ServerLimits) {
    self.limits = limits
    lookers = ByteBudget(limit: limits.allLookBufferedBytes)
  }

  /// The budget of a user's connections; gone with the last of them.
  func budget(of uid: UInt32, as seatClass: SeatClass) -> ByteBudget {
    let mayAct = seatClass == .owner || seatClass == .member
    let key = Key(mayAct: mayAct, origin: SeatTable.origin(of: uid, as: seatClass))
    return budgets.withLock { budgets in
      if let budget = budgets[key]?.budget { return budget }
      budgets = budgets.filter { $0.value.budget != nil }
      let budget =
        mayAct
        ? ByteBudget(limit: limits.bufferedBytes)
        : ByteBudget(limit: limits.lookBufferedBytes, within: lookers)
      budgets[key] = WeakBudget(budget: budget)
      return budget
    }
  }

  /// How many bytes are kept by all.
  var reserved: Int {
    budgets.withLock { $0.values.reduce(0) { $0 + ($1.budget?.reserved ?? 0) } }
  }
}

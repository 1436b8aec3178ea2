import InstallJobs

/// Orders of one key that the engine has not answered, and since when.
///
/// A key is answered by the engine and by nobody else: until then it is said that something was
/// asked for, and after a while that no answer has come.
struct OpenOrders: Sendable {
  /// Seconds after which it is said that there is no answer.
  static let answerTimeout = 2.0

  /// What one key has asked for.
  struct Group: Sendable, Hashable {
    let orders: [Order]
    fileprivate(set) var open: Set<Order>
    /// Those of `open` that are answered, and whose event has not come.
    fileprivate var answered: Set<Order> = []
    /// When, or when an answer came last, by the time here; nil before it was told.
    fileprivate(set) var since: Timestamp?
    /// Those that failed.
    fileprivate(set) var failed: Set<Order> = []
    /// Why, in the order of the answers.
    fileprivate(set) var failures: [String] = []
    /// It was said that no answer has come.
    fileprivate(set) var isSilenceTold = false

    init(_ orders: [Order], since: Timestamp?) {
      self.orders = orders
      self.since = since
      open = Set(orders)
    }

    /// Whether only events are outstanding.
    fileprivate var isAnswered: Bool { answered.count == open.count }

    /// Whether an engine at work would have answered by now.
    var isLate: Bool {
      isSilenceTold && open.contains { !$0.isSlow && !answered.contains($0) }
    }

    /// Whether its silence is to be told, and is not told yet.
    fileprivate func isOverdue(at time: Timestamp) -> Bool {
      guard !isSilenceTold, let since else { return false }
      return time.seconds(since: since) >= OpenOrders.answerTimeout
    }
  }

  private(set) var groups: [Group] = []

  init() {}

  func contains(_ order: Order) -> Bool { groups.contains { $0.open.contains(order) } }

  /// The order of a kind that is open for a job or the queue.
  func first(where matches: (Order) -> Bool) -> Order? {
    for group in groups { if let order = group.open.first(where: matches) { return order } }
    return nil
  }

  /// Notes what a key has asked for.
  mutating func ask(_ orders: [Order], at time: Timestamp?) {
    guard !orders.isEmpty else { return }
    groups.append(Group(orders, since: time))
  }

  /// Notes that an order was done, or refused.
  ///
  /// - Parameters:
  ///   - order: What was done.
  ///   - time: The time here.
  ///   - failure: Why it was not done; nil where it was.
  /// - Returns: All that was asked for together with it, once the last of it is done.
  mutating func close(_ order: Order, at time: Timestamp?, failure: String? = nil) -> Group? {
    guard let index = groups.firstIndex(where: { $0.open.contains(order) }) else { return nil }
    groups[index].open.remove(order)
    groups[index].answered.remove(order)
    if let failure {
      groups[index].failed.insert(order)
      groups[index].failures.append(failure)
    }
    renew(at: time)
    return groups[index].open.isEmpty ? groups.remove(at: index) : nil
  }

  /// Notes the engine's answer that an order was done; one that has an event stays open for it, so
  /// that its outcome is told once and as what was asked for here.
  ///
  /// - Returns: What ``close(_:at:failure:)`` returns.
  mutating func answer(_ order: Order, at time: Timestamp?) -> Group? {
    guard order.hasEvent else { return close(order, at: time) }
    let index = groups.firstIndex { $0.open.contains(order) && !$0.answered.contains(order) }
    guard let index else { return nil }
    groups[index].answered.insert(order)
    renew(at: time)
    return nil
  }

  /// Counts the silence anew: orders are given one after the other, and an engine that answers one
  /// comes to the others.
  private mutating func renew(at time: Timestamp?) {
    guard let time else { return }
    for index in groups.indices where groups[index].since != nil {
      groups[index].since = time
      groups[index].isSilenceTold = false
    }
  }

  /// Forgets moves of jobs: they are to stop, and are not moved any more.
  mutating func dropMoves(of ids: Set<JobID>) {
    func isKept(_ order: Order) -> Bool {
      if case .move(let id, _) = order { !ids.contains(id) } else { true }
    }
    for index in groups.indices {
      groups[index].open = groups[index].open.filter(isKept)
      groups[index].answered = groups[index].answered.filter(isKept)
    }
    groups.removeAll(where: \.open.isEmpty)
  }

  /// Forgets everything: whoever would answer is gone.
  mutating func forget() { groups = [] }

  /// The last of the keys whose silence is to be told now; it counts as told.
  mutating func removeSilent(at time: Timestamp) -> Group? {
    var silent: Group?
    for index in groups.indices where groups[index].isOverdue(at: time) {
      groups[index].isSilenceTold = true
      silent = groups[index]
    }
    return silent
  }

  /// What was answered a while ago and has no event: nothing had to change for it, as for a job that
  /// is moved to where it is.
  mutating func removeEventless(at time: Timestamp) -> [Group] {
    let eventless = groups.filter { $0.isAnswered && $0.isOverdue(at: time) }
    if !eventless.isEmpty { groups.removeAll { $0.isAnswered && $0.isOverdue(at: time) } }
    return eventless
  }

  /// When the next silence is to be told; nil while there is none to come.
  var nextSilence: Timestamp? {
    groups.lazy.filter { !$0.isSilenceTold }.compactMap(\.since).min()?
      .advanced(bySeconds: Self.answerTimeout)
  }
}

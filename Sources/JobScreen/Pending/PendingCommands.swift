import InstallJobs

/// Commands that keys have sent to the engine and that are not answered, with their times.
///
/// Only the engine answers a key. Until then the message says that the command was sent, and after
/// ``answerTimeout`` that there is no answer.
struct PendingCommands: Sendable {
  /// Seconds after which a missing answer is reported.
  static let answerTimeout = 2.0

  /// The commands of one key.
  struct Group: Sendable, Hashable {
    let orders: [Order]
    fileprivate(set) var open: Set<Order>
    /// The commands in `open` that are answered and still wait for their event.
    fileprivate var answered: Set<Order> = []
    /// The time here of the key or of the last answer; nil before the first clock event.
    fileprivate(set) var since: Timestamp?
    /// The commands that failed.
    fileprivate(set) var failed: Set<Order> = []
    /// The reasons of the failures, in the order of the answers.
    fileprivate(set) var failures: [String] = []
    /// Whether the missing answer was reported.
    fileprivate(set) var isSilenceReported = false

    init(_ orders: [Order], since: Timestamp?) {
      self.orders = orders
      self.since = since
      open = Set(orders)
    }

    /// Whether every open command is answered and waits for its event.
    fileprivate var isAnswered: Bool { answered.count == open.count }

    /// Whether a command is unanswered that a working engine would have answered by now.
    var isLate: Bool {
      isSilenceReported && open.contains { !$0.isSlow && !answered.contains($0) }
    }

    /// Whether the time-out has passed and was not reported yet.
    fileprivate func isOverdue(at time: Timestamp) -> Bool {
      guard !isSilenceReported, let since else { return false }
      return time.seconds(since: since) >= PendingCommands.answerTimeout
    }
  }

  private(set) var groups: [Group] = []

  init() {}

  func contains(_ order: Order) -> Bool { groups.contains { $0.open.contains(order) } }

  /// The first open command that matches.
  func first(where matches: (Order) -> Bool) -> Order? {
    for group in groups { if let order = group.open.first(where: matches) { return order } }
    return nil
  }

  /// Records the commands of a key.
  mutating func ask(_ orders: [Order], at time: Timestamp?) {
    guard !orders.isEmpty else { return }
    groups.append(Group(orders, since: time))
  }

  /// Records that a command was done or has failed.
  ///
  /// - Parameters:
  ///   - order: The command.
  ///   - time: The time here.
  ///   - failure: Why it failed; nil if it was done.
  /// - Returns: All commands of the same key, if this was the last open one.
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

  /// Records the engine's answer that a command was done.
  ///
  /// A command with an event stays open until the event, so that its outcome is reported once, as
  /// the answer to the key.
  ///
  /// - Returns: The result of ``close(_:at:failure:)``; nil for a command with an event.
  mutating func answer(_ order: Order, at time: Timestamp?) -> Group? {
    guard order.hasEvent else { return close(order, at: time) }
    let index = groups.firstIndex { $0.open.contains(order) && !$0.answered.contains(order) }
    guard let index else { return nil }
    groups[index].answered.insert(order)
    renew(at: time)
    return nil
  }

  /// Restarts the time-out after an answer: the engine handles commands one after the other.
  private mutating func renew(at time: Timestamp?) {
    guard let time else { return }
    for index in groups.indices where groups[index].since != nil {
      groups[index].since = time
      groups[index].isSilenceReported = false
    }
  }

  /// Drops pending moves of jobs that are being aborted.
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

  /// Drops all commands, because the engine that would answer is gone.
  mutating func forget() { groups = [] }

  /// Marks the groups whose time-out has passed as reported; returns the latest of them.
  mutating func removeSilent(at time: Timestamp) -> Group? {
    var silent: Group?
    for index in groups.indices where groups[index].isOverdue(at: time) {
      groups[index].isSilenceReported = true
      silent = groups[index]
    }
    return silent
  }

  /// Removes and returns the groups that were answered but had no event within the time-out.
  ///
  /// There is no event if nothing changed, as for a job that is moved to its own place.
  mutating func removeEventless(at time: Timestamp) -> [Group] {
    let eventless = groups.filter { $0.isAnswered && $0.isOverdue(at: time) }
    if !eventless.isEmpty { groups.removeAll { $0.isAnswered && $0.isOverdue(at: time) } }
    return eventless
  }

  /// When the next time-out passes; nil if none is pending.
  var nextSilence: Timestamp? {
    groups.lazy.filter { !$0.isSilenceReported }.compactMap(\.since).min()?
      .advanced(bySeconds: Self.answerTimeout)
  }
}

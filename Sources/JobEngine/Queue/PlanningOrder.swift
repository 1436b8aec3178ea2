/// The order in which requests are planned, as a pure value that never waits.
///
/// Requests of users who may act come before those of users with read access only, who always leave
/// one turn free. Within each group, users are served in rotation, and each user's requests in
/// their order.
struct PlanningOrder: Sendable {
  /// Limits on the number of requests.
  struct Limits: Sendable, Hashable {
    /// Requests planned at a time; at least 2, so that users with read access get a turn.
    var concurrent = 2
    /// Waiting requests of one user with read access only.
    var waitingOfLooker = 8
    /// Waiting requests of all users with read access only.
    var waitingOfLookers = 64
    /// Waiting requests of one user who may act.
    var waitingOfActor = 2048
    /// Waiting requests of all users.
    var waiting = 8192
  }

  /// The user of a request, with the user's rights.
  struct Party: Sendable, Hashable {
    var uid: UInt32
    var mayAct: Bool
  }

  /// The decision on a new request.
  enum Admission: Sendable, Hashable {
    case begins
    case waits
    /// The request is refused; `waiting` is the number of waiting requests that reached a limit.
    case refused(waiting: Int)
  }

  private struct Entry: Sendable {
    var number: Int
    var party: Party
  }

  let limits: Limits
  private var waiting: [Entry] = []
  private(set) var running: [Int: Party] = [:]
  /// The turn count at each user's last turn.
  ///
  /// Kept for users with a request, and for users whose last turn was later than that of a waiting
  /// user: a new request of theirs must not come before the waiting user's.
  private(set) var lastTurn: [Party: Int] = [:]
  private var turns = 0

  init(limits: Limits = Limits()) {
    var limits = limits
    limits.concurrent = max(2, limits.concurrent)
    self.limits = limits
  }

  /// Number of waiting requests.
  var waitingCount: Int { waiting.count }

  /// Adds a request.
  ///
  /// - Parameters:
  ///   - number: The number of the request; unique.
  ///   - party: The user of the request.
  /// - Returns: Whether the request begins, waits or is refused.
  mutating func add(_ number: Int, of party: Party) -> Admission {
    if waiting.isEmpty || !waiting.contains(where: canBegin),
      canBegin(Entry(number: number, party: party))
    {
      begin(Entry(number: number, party: party))
      return .begins
    }
    let own = waiting.count { $0.party == party }
    guard own < (party.mayAct ? limits.waitingOfActor : limits.waitingOfLooker) else {
      return .refused(waiting: own)
    }
    let lookers = party.mayAct ? 0 : waiting.count { !$0.party.mayAct }
    guard lookers < limits.waitingOfLookers else { return .refused(waiting: lookers) }
    guard waiting.count < limits.waiting else { return .refused(waiting: waiting.count) }
    waiting.append(Entry(number: number, party: party))
    return .waits
  }

  /// Removes a request that is being planned or waits.
  ///
  /// - Returns: The numbers of the requests that begin now.
  mutating func remove(_ number: Int) -> [Int] {
    running.removeValue(forKey: number)
    if let index = waiting.firstIndex(where: { $0.number == number }) { waiting.remove(at: index) }
    var begun: [Int] = []
    while let entry = next() {
      waiting.removeAll { $0.number == entry.number }
      begin(entry)
      begun.append(entry.number)
    }
    forgetTurns()
    return begun
  }

  private mutating func forgetTurns() {
    let present = Set(running.values).union(waiting.map(\.party))
    let oldest = Dictionary(
      waiting.map { ($0.party.mayAct, lastTurn[$0.party] ?? 0) }, uniquingKeysWith: min)
    lastTurn = lastTurn.filter { party, turn in
      present.contains(party) || oldest[party.mayAct].map { turn > $0 } ?? false
    }
  }

  private mutating func begin(_ entry: Entry) {
    running[entry.number] = entry.party
    turns += 1
    lastTurn[entry.party] = turns
  }

  private func canBegin(_ entry: Entry) -> Bool {
    guard running.count < limits.concurrent else { return false }
    return entry.party.mayAct || running.values.count { !$0.mayAct } < limits.concurrent - 1
  }

  private func next() -> Entry? {
    guard running.count < limits.concurrent else { return nil }
    return waiting.enumerated().filter { canBegin($0.element) }.min { first, second in
      let (one, two) = (first.element.party, second.element.party)
      if one.mayAct != two.mayAct { return one.mayAct }
      let turns = (lastTurn[one] ?? 0, lastTurn[two] ?? 0)
      return turns.0 == turns.1 ? first.offset < second.offset : turns.0 < turns.1
    }?.element
  }
}

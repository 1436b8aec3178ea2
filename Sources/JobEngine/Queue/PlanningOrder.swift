/// The order in which requests that need planning are planned: a pure value without waiting.
///
/// Users who may act go before those who may only look, whose requests leave one turn free. Within
/// each of the two, users are served in turn, and a user's requests in their order.
struct PlanningOrder: Sendable {
  /// How many requests there may be.
  struct Limits: Sendable, Hashable {
    /// Requests that are planned at a time; at least 2, so that those who may only look have one.
    var concurrent = 2
    /// Requests of one user that wait, where that one may only look.
    var waitingOfLooker = 8
    /// Requests that wait of all users who may only look.
    var waitingOfLookers = 64
    /// Requests of one user that wait, where that one may act.
    var waitingOfActor = 2048
    /// Requests that wait.
    var waiting = 8192
  }

  /// Whose request it is.
  struct Party: Sendable, Hashable {
    var uid: UInt32
    var mayAct: Bool
  }

  /// What becomes of a new request.
  enum Admission: Sendable, Hashable {
    case begins
    case waits
    /// It is refused; how many requests of that user, or of all, wait already.
    case refused(waiting: Int)
  }

  private struct Entry: Sendable {
    var number: Int
    var party: Party
  }

  let limits: Limits
  private var waiting: [Entry] = []
  private var running: [Int: Party] = [:]
  /// When a user was last given a turn, as a count of turns; of users who have a request, and of those
  /// who had a turn since some user who waits: coming back brings nobody before that one.
  private var lastTurn: [Party: Int] = [:]
  private var turns = 0

  init(limits: Limits = Limits()) {
    var limits = limits
    limits.concurrent = max(2, limits.concurrent)
    self.limits = limits
  }

  /// How many requests wait.
  var waitingCount: Int { waiting.count }
  /// How many users' turns are remembered.
  var knownUsers: Int { lastTurn.count }
  /// How many requests are being planned.
  var runningCount: Int { running.count }

  /// Adds a request.
  ///
  /// - Parameters:
  ///   - number: Its number, which no other request has.
  ///   - party: Whose it is.
  /// - Returns: Whether it begins, waits or is refused.
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

  /// Removes a request that is planned, or waits.
  ///
  /// - Returns: The numbers of those that begin now.
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

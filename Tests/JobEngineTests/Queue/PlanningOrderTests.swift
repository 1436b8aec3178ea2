import InstallJobs
import Support
import Synchronization
import Testing

@testable import HostSystem
@testable import JobEngine

@Suite(.timeLimit(.minutes(2)), .endsOrAborts) struct `The order of planning` {
  private static let root = PlanningOrder.Party(uid: 0, mayAct: true)
  private static let ann = PlanningOrder.Party(uid: 1001, mayAct: true)
  private static let other = PlanningOrder.Party(uid: 1002, mayAct: true)
  private static let bob = PlanningOrder.Party(uid: 2001, mayAct: false)
  private static let eve = PlanningOrder.Party(uid: 2002, mayAct: false)

  private static func limits(concurrent: Int = 2) -> PlanningOrder.Limits {
    var limits = PlanningOrder.Limits()
    limits.concurrent = concurrent
    limits.waitingOfLooker = 3
    limits.waitingOfLookers = 4
    limits.waitingOfActor = 5
    limits.waiting = 6
    return limits
  }

  /// Requests by their parties, then what begins as each of those that run is over.
  private struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var parties: [PlanningOrder.Party]
    /// Numbers of the requests in the order in which they begin, the oldest that runs ending first.
    var order: [Int]
  }

  private static let cases = [
    Case(
      testDescription: "one user's requests in their order",
      parties: [ann, ann, ann, ann], order: [1, 2, 3, 4]),
    Case(
      testDescription: "users in turn", parties: [ann, ann, ann, ann, root, root],
      order: [1, 2, 5, 3, 6, 4]),
    Case(
      testDescription: "who may act goes before who may only look",
      parties: [bob, eve, eve, ann, root, ann], order: [1, 4, 5, 6, 2, 3]),
    Case(
      testDescription: "those who may only look leave one turn free and take turns",
      parties: [bob, bob, bob, eve], order: [1, 4, 2, 3]),
  ]

  @Test(arguments: cases) private func `is by rights, user and arrival`(it: Case) {
    var order = PlanningOrder(limits: Self.limits())
    var begun: [Int] = []
    for (index, party) in it.parties.enumerated()
    where order.add(index + 1, of: party) == .begins { begun.append(index + 1) }
    var ended = 0
    while ended < begun.count {
      begun += order.remove(begun[ended])
      ended += 1
    }
    #expect(begun == it.order)
    #expect(order.waitingCount == 0 && order.running.isEmpty)
  }

  @Test func `refuses what is too much for one user, for lookers and for all`() {
    var order = PlanningOrder(limits: Self.limits())
    var number = 0
    func add(_ party: PlanningOrder.Party) -> PlanningOrder.Admission {
      number += 1
      return order.add(number, of: party)
    }
    #expect(add(Self.bob) == .begins)
    for _ in 1...3 { #expect(add(Self.bob) == .waits) }
    #expect(add(Self.bob) == .refused(waiting: 3))
    #expect(add(Self.eve) == .waits)
    #expect(add(Self.eve) == .refused(waiting: 4))
    #expect(add(Self.ann) == .begins)
    #expect(add(Self.ann) == .waits)
    #expect(add(Self.root) == .waits)
    #expect(add(Self.root) == .refused(waiting: 6))
  }

  @Test func `gives the place of a request that left to the next`() {
    var order = PlanningOrder(limits: Self.limits())
    for number in 1...4 { _ = order.add(number, of: Self.ann) }
    #expect(order.remove(3) == [])
    #expect(order.remove(1) == [4])
    #expect(order.waitingCount == 0)
  }

  @Test func `forgets users whose requests are over or cancelled`() {
    var order = PlanningOrder(limits: Self.limits())
    for uid: UInt32 in 1...100 {
      let party = PlanningOrder.Party(uid: uid, mayAct: true)
      for number in 1...3 { _ = order.add(number, of: party) }
      for number in 1...3 { _ = order.remove(number) }
    }
    #expect(order.lastTurn.isEmpty)
  }

  @Test func `a user who asks again and again gets no more turns than those who wait`() {
    var order = PlanningOrder(limits: Self.limits())
    // Hangs, so that there is one turn at a time.
    _ = order.add(0, of: PlanningOrder.Party(uid: 9, mayAct: true))
    var running = 1
    #expect(order.add(running, of: Self.ann) == .begins)
    for number in 11...12 { _ = order.add(number, of: Self.root) }
    for number in 21...22 { _ = order.add(number, of: Self.other) }
    var begun: [Int] = []
    for _ in 1...6 {
      let next = order.remove(running)
      // As soon as its request is over, the next one is there.
      if running < 10 { _ = order.add(running + 1, of: Self.ann) }
      begun += next
      running = next[0]
    }
    #expect(begun == [11, 21, 2, 12, 22, 3])
  }

  @Test
  func `a request that is cancelled leaves the queue at once, and a hung one ends for the next`()
    async throws
  {
    let queue = PlanningQueue(limits: Self.limits(), threads: WaitingThreads(limit: 8))
    let user = PlanningUser(Requester(uid: 1001, user: "ann"), mayAct: true)
    @Sendable func hang() async throws(InstallationError) {
      _ = try await Tool("/bin/sleep").run(["100000"], environment: Tool.plain)
    }
    let hung = (1...2).map { _ in
      Task {
        try await queue.plan(for: user) { () async throws(InstallationError) in try await hang() }
      }
    }
    let waiting = Task {
      try await queue.plan(for: user) { () async throws(InstallationError) in 3 }
    }
    try await eventually { queue.waiting == 1 }
    waiting.cancel()
    let error = await #expect(throws: InstallationError.self) { try await waiting.value }
    #expect(error?.code == .cancelled)
    #expect(queue.waiting == 0)
    let next = Task {
      try await queue.plan(for: user) { () async throws(InstallationError) in 4 }
    }
    try await eventually { queue.waiting == 1 }
    hung[0].cancel()
    #expect(try await next.value == 4)
    hung[1].cancel()
    for task in hung { _ = await task.result }
  }

  @Test(arguments: [false, true])
  func `a request whose disk does not answer gives its turn up, in time or when it is cancelled`(
    isCancelled: Bool
  ) async throws {
    let queue = PlanningQueue(
      limits: Self.limits(concurrent: 1), threads: WaitingThreads(limit: 8),
      limit: isCancelled ? .seconds(3600) : .milliseconds(50), grace: .zero)
    let user = PlanningUser(Requester(uid: 1001, user: "ann"), mayAct: true)
    let (hasBegun, disk) = (Locked(false), Gate())
    let hung = Task {
      try await queue.plan(for: user) { () async throws(InstallationError) in
        hasBegun.change { $0 = true }
        disk.wait()
      }
    }
    try await eventually { hasBegun.value }
    if isCancelled { hung.cancel() }
    let error = await #expect(throws: InstallationError.self) { try await hung.value }
    #expect(error?.code == (isCancelled ? .cancelled : .timedOut))
    #expect(try await queue.plan(for: user) { () async throws(InstallationError) in 4 } == 4)
    disk.open()
  }
}

extension PlanningQueue {
  /// Number of requests that wait for a turn.
  fileprivate var waiting: Int { state.withLock { $0.order.waitingCount } }
}

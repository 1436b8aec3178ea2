import InstallJobs
import Monitor
import Testing

@testable import fettle

@Suite struct `Orders that wait for the engine` {
  private static func take(_ intents: [Intent], into orders: inout CommandQueue) -> Int {
    intents.count { orders.append($0) }
  }

  private static func given(_ orders: inout CommandQueue) -> [Intent] {
    var given: [Intent] = []
    while let order = orders.next() { given.append(order) }
    return given
  }

  @Test func `an abort and its withdrawal do not wait behind orders for other jobs`() {
    var orders = CommandQueue()
    let moves = (1...300).map { Intent.move(JobID($0), .first) }
    let aborts = [Intent.requestAbort([JobID(900)]), .cancelAbort(JobID(901))]
    #expect(Self.take(moves, into: &orders) == 300)
    let first = orders.next()
    #expect(first == moves[0])
    #expect(Self.take(aborts, into: &orders) == 2)
    #expect(Self.given(&orders) == aborts + moves.dropFirst())
  }

  @Test func `no order overtakes an earlier one for the same job`() {
    var orders = CommandQueue()
    let (one, two, three) = (JobID(1), JobID(2), JobID(3))
    let early: [Intent] = [
      .pauseJob(one), .move(two, .last), .pauseQueue, .resumeJob(one), .move(three, .first),
      .requestAbort([three, one]), .pauseJob(three), .cancelAbort(three), .resumeQueue,
    ]
    #expect(Self.take(early, into: &orders) == early.count)
    #expect(
      Self.given(&orders) == [
        .requestAbort([three]), .pauseJob(one), .resumeJob(one),
        .requestAbort([one]), .pauseJob(three), .cancelAbort(three), .move(two, .last), .pauseQueue,
        .resumeQueue,
      ])
    #expect(Self.take([.pauseJob(one)], into: &orders) == 1)
    #expect(Self.given(&orders) == [.pauseJob(one)])
  }

  @Test func `the aborts of many that were just moved go first, without their moves`() {
    var orders = CommandQueue()
    let ids = (1...100).map { JobID($0) }
    _ = Self.take(ids.map { .move($0, .first) } + [.move(JobID(900), .last)], into: &orders)
    _ = Self.take([.requestAbort(ids)], into: &orders)
    let aborts = ids.map { Intent.requestAbort([$0]) }
    #expect(Self.given(&orders) == aborts + [.move(JobID(900), .last)])
  }

  @Test func `what is no order does not wait among them`() {
    var orders = CommandQueue()
    let others = [Intent.fetchUpgradable, .cleanUp([JobID(1)]), .retry(JobID(1)), .reconnect]
    #expect(Self.take(others, into: &orders) == 0)
    #expect(Self.given(&orders).isEmpty)
  }
}

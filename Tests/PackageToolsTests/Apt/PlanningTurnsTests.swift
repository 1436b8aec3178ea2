import Support
import Synchronization
import Testing

@testable import PackageTools

@Suite struct `Turns of planning` {
  @Test func `as many as may at a time, then those who came first`() async throws {
    let turns = PlanningTurns(atATime: 2)
    await turns.begin()
    await turns.begin()
    let order = Locked([Int]())
    var tasks: [Task<Void, Never>] = []
    for number in 1...3 {
      tasks.append(
        Task {
          await turns.begin()
          order.change { $0.append(number) }
        })
      try await eventually { turns.waiting == number }
    }
    #expect(order.value.isEmpty)
    for number in 1...3 {
      turns.end()
      await tasks[number - 1].value
      #expect(order.value == Array(1...number))
    }
    turns.end()
    turns.end()
    await turns.begin()
    #expect(turns.waiting == 0)
  }
}

import Support
import Testing

@testable import JobServer

@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `Turns of those who may only look` {
  @Test func `one is served at a time, and who asks often waits behind who asks once`() async throws
  {
    let turns = ViewerQueue()
    let gate = Gate()
    let served = Locked<[String]>([])
    let running = Locked(0)
    var tasks: [Task<Void, Never>] = []
    for (count, (origin, name)) in [(7, "a1"), (7, "a2"), (7, "a3"), (8, "b1")].enumerated() {
      tasks.append(
        Task {
          await turns.run(of: UInt32(origin)) {
            running.change { $0 += 1 }
            #expect(running.value == 1)
            if name == "a1" { gate.wait() }
            served.change { $0.append(name) }
            running.change { $0 -= 1 }
          }
        })
      try await eventually { count == 0 ? running.value == 1 : turns.waitingCount == count }
    }
    gate.open()
    for task in tasks { await task.value }
    #expect(served.value == ["a1", "a2", "b1", "a3"])
    #expect(turns.waitingCount == 0)
  }
}

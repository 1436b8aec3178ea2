import Support
import Testing

@testable import JobServer

@Suite(.timeLimit(.minutes(1)), .endsOrAborts)
struct `Memory that jobs leave` {
  @Test func `is given back once for all jobs that end about the same time, and again later`()
    async throws
  {
    let clock = ManualClock()
    let count = Locked(0)
    let heap = HeapTrimmer(clock: clock) { count.change { $0 += 1 } }
    for round in 1...3 {
      for _ in 1...100 { heap.scheduleTrim() }
      try await eventually { clock.sleeperCount > 0 }
      #expect(clock.sleeperCount == 1)
      await clock.advance(by: HeapTrimmer.delay - .milliseconds(1))
      #expect(count.value == round - 1, "not at once")
      await clock.advance(by: .milliseconds(1))
      try await eventually { count.value >= round }
      #expect(count.value == round)
    }
  }
}

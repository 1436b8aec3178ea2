import Support
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `The manual clock` {
  final class Record: Sendable {
    let words = Mutex<[String]>([])
    func add(_ word: String) { words.withLock { $0.append(word) } }
    var all: [String] { words.withLock { $0 } }
  }

  @Test func `Sleepers wake in order of their deadlines`() async throws {
    let clock = ManualClock()
    let record = Record()
    let tasks = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        record.add("\(seconds)")
      }
    }
    try await clock.waitForSleepers(3)
    await clock.advance(by: .seconds(2))
    #expect(record.all == ["1", "2"])
    await clock.advance(by: .seconds(1))
    #expect(record.all == ["1", "2", "3"])
    for task in tasks { try await task.value }
  }

  @Test func `A chain of sleeps is served by one advance`() async throws {
    let clock = ManualClock()
    let record = Record()
    let task = Task {
      for tick in 1...100 {
        try await clock.sleep(for: .milliseconds(10))
        record.add("\(tick)")
      }
    }
    try await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(505))
    #expect(record.all.count == 50)
    #expect(clock.untilNextDeadline == .milliseconds(5))
    #expect(await clock.advance { record.all.count == 100 })
    #expect(clock.now.offset == .seconds(1))
    try await task.value
  }

  @Test func `A cancelled sleeper wakes at once with an error`() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    try await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `A condition that never holds is reported within its bound`() async {
    await #expect(throws: ConditionNotMet.self) {
      try await eventually("never", within: .milliseconds(20)) { false }
    }
  }

  @Test(.scratchFolder) func `A scratch folder holds files and has a short path`() throws {
    let folder = try #require(ScratchFolder.current)
    try folder.write("text", to: "a/b/c")
    #expect(try folder.read("a/b/c") == "text")
    #expect(folder.path("engine.sock").utf8.count < 100)
  }
}

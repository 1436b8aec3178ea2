import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `Sleeps of many tasks` {
  private let queue = SleepQueue()

  /// Starts a sleep and returns once it has begun.
  private func begin(_ time: Duration) async throws -> Task<Void, any Error> {
    let before = queue.count
    let task = Task { try await queue.sleep(for: time, by: ContinuousClock()) }
    try await eventually("the sleep") { queue.count == before + 1 }
    return task
  }

  @Test func `a cancelled sleep ends at once, and ten thousand of them leave nothing behind`()
    async throws
  {
    let long = try await begin(.seconds(3600))
    for _ in 0..<10_000 {
      let task = Task { try await queue.sleep(for: .seconds(1800), by: ContinuousClock()) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(queue.count == 1)
    long.cancel()
    await #expect(throws: CancellationError.self) { try await long.value }
    #expect(queue.count == 0)
  }

  @Test func `a short sleep does not wait behind a long one, and a passed moment is no sleep`()
    async throws
  {
    let long = try await begin(.seconds(3600))
    try await queue.sleep(for: .milliseconds(1), by: ContinuousClock())
    try await queue.sleep(until: .now - .seconds(1))
    try await queue.sleep(for: .zero, by: ContinuousClock())
    #expect(queue.count == 1)
    long.cancel()
    _ = await long.result
  }

  @Test func `every sleep ends, in whatever order their moments come`() async throws {
    let begin = ContinuousClock.now
    let ended = Locked<[Int]>([])
    await withTaskGroup(of: Void.self) { group in
      for number in (0..<200).map({ $0 * 7919 % 200 }) {
        group.addTask {
          let moment = begin + .milliseconds(number)
          try? await queue.sleep(until: moment)
          if ContinuousClock.now >= moment { ended.change { $0.append(number) } }
        }
      }
    }
    #expect(ended.value.sorted() == Array(0..<200))
    #expect(queue.count == 0)
  }

  @Test func `by another clock a sleep ends when that clock says so`() async throws {
    let clock = ManualClock()
    let task = Task { try await queue.sleep(for: .seconds(7), by: clock) }
    try await clock.waitForSleepers()
    #expect(queue.count == 0)
    await clock.advance(by: .seconds(7))
    try await task.value
  }
}

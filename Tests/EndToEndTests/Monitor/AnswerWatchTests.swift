import InstallJobs
import Monitor
import Support
import Synchronization
import Testing

@testable import fettle

@Suite(.timeLimit(.minutes(2)), .endsOrAborts)
struct `The watch over answers` {
  @Test func `silence is told from the fifth second on, and ended by the answer`() async throws {
    let clock = ManualClock()
    let told = Mutex<[LinkState]>([])
    let watch = SilenceDetector(clock: clock) { state in told.withLock { $0.append(state) } }
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let request = Task {
      try await watch.perform { () async throws(InstallationError) in
        for await _ in gate { break }
        return 7
      }
    }
    for second in 1...7 {
      try await clock.waitForSleepers()
      await clock.advance(by: .seconds(1))
      try await eventually("second \(second)") {
        told.withLock { $0.count } == max(0, second - SilenceDetector.timeout + 1)
      }
    }
    #expect(told.withLock { $0 } == (5...7).map { .stale(seconds: $0) })
    open.yield()
    #expect(try await request.value == 7)
    #expect(told.withLock { $0.last } == .live)
  }

  @Test func `the age counts from the last byte heard; bytes without the answer end it`()
    async throws
  {
    let clock = ManualClock()
    let told = Mutex<[LinkState]>([])
    let silent = Mutex(20)
    let watch = SilenceDetector(clock: clock) { state in told.withLock { $0.append(state) } }
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let request = Task {
      try await watch.perform(silence: { silent.withLock { $0 } }) {
        () async throws(InstallationError) in
        for await _ in gate { break }
      }
    }
    for second in 1...6 {
      try await clock.waitForSleepers()
      if second == 6 { silent.withLock { $0 = 0 } }
      await clock.advance(by: .seconds(1))
      if second >= 5 {
        try await eventually("second \(second)") { told.withLock { $0.count } == second - 4 }
      }
    }
    #expect(told.withLock { $0 } == [.stale(seconds: 20), .live])
    open.yield()
    try await request.value
  }

  @Test func `a request that runs out leaves the engine silent, until the next answer`()
    async throws
  {
    let clock = ManualClock()
    let told = Mutex<[LinkState]>([])
    let silent = Locked(31)
    let watch = SilenceDetector(clock: clock) { state in told.withLock { $0.append(state) } }
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    func begin(_ error: InstallationError?) -> Task<Void, any Error> {
      Task {
        try await watch.perform(silence: { silent.value }) {
          () async throws(InstallationError) in
          for await _ in gate { break }
          if let error { throw error }
        }
      }
    }
    func pass(_ seconds: Int) async throws {
      for _ in 0..<seconds {
        try await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
      }
    }
    let first = begin(InstallationError(.timedOut, "no answer", class: .transient))
    try await pass(5)
    try await eventually("it is silent") { told.withLock { $0 } == [.stale(seconds: 31)] }
    open.yield()
    await #expect(throws: InstallationError.self) { try await first.value }
    #expect(told.withLock { $0.count } == 1)
    // Silent from the first second of the next request on.
    let second = begin(nil)
    try await pass(1)
    try await eventually("it is silent still") {
      told.withLock { $0 } == [.stale(seconds: 31), .stale(seconds: 31)]
    }
    open.yield()
    try await second.value
    #expect(told.withLock { $0.last } == .live)
    // A refusal is an answer where the engine was heard.
    let third = begin(InstallationError(.busy, "not now", class: .transient))
    try await pass(5)
    try await eventually("it is silent again") { told.withLock { $0.count } == 4 }
    silent.change { $0 = 0 }
    open.yield()
    await #expect(throws: InstallationError.self) { try await third.value }
    #expect(told.withLock { $0.last } == .live)
  }

  @Test func `an engine that answers at once is never called silent`() async throws {
    let clock = ManualClock()
    let told = Mutex(0)
    let watch = SilenceDetector(clock: clock) { _ in told.withLock { $0 += 1 } }
    for _ in 0..<100 {
      _ = try await watch.perform { () async throws(InstallationError) in 1 }
    }
    await clock.advance(by: .seconds(60))
    #expect(told.withLock { $0 } == 0)
  }
}

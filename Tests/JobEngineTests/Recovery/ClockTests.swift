import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

/// An engine on a machine whose clock somebody sets.
@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `A clock that is set` {
  /// Time as it passes, and how far the machine's clock is from it.
  private final class Machine: Sendable {
    static let start = Timestamp(milliseconds: 1_780_000_000_000)
    let time = ManualClock()
    private let shift = Locked(0.0)

    var now: Timestamp {
      let (seconds, attoseconds) = time.now.offset.components
      let passed = Double(seconds) + Double(attoseconds) / 1e18
      return Self.start.advanced(bySeconds: passed + shift.value)
    }

    func set(by seconds: Double) { shift.change { $0 += seconds } }

    func engine() async throws -> (EngineFixture, ManualWork) {
      try await EngineFixture.byHand {
        $0.clock = self.time
        $0.stallThreshold = .seconds(100)
        $0.now = { self.now }
      }
    }
  }

  @Test func `forwards, a job whose time has come begins within a minute`() async throws {
    let machine = Machine()
    let (fixture, work) = try await machine.engine()
    var options = InstallationOptions()
    options.earliestStart = machine.now.advanced(bySeconds: 36_000)
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")], options: options)
    try await machine.time.waitForSleepers()
    machine.set(by: 36_001)
    await machine.time.advance(by: .seconds(60))
    let run = try #require(await work.next())
    run.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `back, a job does not begin before its time`() async throws {
    let machine = Machine()
    let (fixture, work) = try await machine.engine()
    var options = InstallationOptions()
    options.earliestStart = machine.now.advanced(bySeconds: 600)
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")], options: options)
    try await machine.time.waitForSleepers()
    machine.set(by: -600)
    await machine.time.advance(by: .seconds(660))
    #expect(work.all.isEmpty)
    #expect(await job.progress.waitingFor?.kind == .time)
    await machine.time.advance(by: .seconds(600))
    let run = try #require(await work.next())
    run.performAllSteps()
    #expect(try await job.result.code == .succeeded)
  }

  @Test func `back, a job is not stopped before its time, forwards it is`() async throws {
    let machine = Machine()
    let (fixture, work) = try await machine.engine()
    var options = InstallationOptions()
    options.latestStop = machine.now.advanced(bySeconds: 600)
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1"), Update("p2")], options: options)
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    machine.set(by: -36_000)
    await machine.time.advance(by: .seconds(700))
    #expect(try await fixture.session.jobs().first?.abort == nil)
    #expect(!run.isStopping)
    machine.set(by: 36_000)
    await machine.time.advance(by: .seconds(60))
    try await eventually { try await fixture.session.jobs().first?.abort != nil }
  }

  @Test(arguments: [86_400.0, -86_400.0])
  func `either way, silence is as long as it is`(shift: Double) async throws {
    let machine = Machine()
    let (fixture, work) = try await machine.engine()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await job.progress.currentItem == "p1" }
    try await machine.time.waitForSleepers()
    await machine.time.advance(by: .seconds(50))
    run.send(.alive)
    let sign = machine.now
    try await eventually { await job.progress.lastActivityAt == sign }
    machine.set(by: shift)
    await machine.time.advance(by: .seconds(60))
    #expect(await !job.progress.isStalled, "a sign of life was a minute ago")
    try await machine.time.waitForSleepers()
    await machine.time.advance(by: .seconds(100))
    try await eventually { await job.progress.isStalled }
    run.send(.alive)
    try await eventually { await !job.progress.isStalled }
  }

  @Test func `back, a download goes on having a rate`() {
    var rate = TransferRate()
    let start = Machine.start
    for second in 0..<5 {
      rate.note(Int64(second) * 1000, at: start.advanced(bySeconds: Double(second)))
    }
    #expect(rate.bytesPerSecond == 1000)
    for second in 5..<10 {
      rate.note(Int64(second) * 2000, at: start.advanced(bySeconds: Double(second) - 36_000))
    }
    #expect(rate.bytesPerSecond == 2000, "of the time after it")
  }
}

import FoundationEssentials
import InstallJobs
import JobEngine
import JobJournal
import SimulatedProvider
import Support
import Testing

/// Damage that no check of the file finds: a number in a record is another one.
@Suite(.timeLimit(.minutes(5)), .endsOrAborts) struct `A record with a wrong number` {
  /// The journal of an engine that died with one job at work, one paused and one waiting.
  private static func sound() async throws -> [UInt8] {
    let folder = try ScratchFolder()
    let (provider, work) = SimulatedProvider.manual(.steps(3))
    let fixture = try await EngineFixture(provider, in: folder)
    let installer = try fixture.installer()
    let paused = try await installer.beginInstallation(of: [Update("p1"), Update("p2")])
    _ = try await installer.beginInstallation(of: [Update("p3")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    try await eventually { await paused.progress.currentItem == "p1" }
    _ = try await paused.requestAbort()
    try fixture.journal.close()
    return try #require(TestFolder.bytes(of: folder.path("journal.sqlite")))
  }

  @Test(arguments: 0..<4) func `is refused or taken, and ends no engine`(seed: Int) async throws {
    let sound = try await Self.sound()
    // The numbers in records: a digit behind a colon, a comma or a bracket.
    let places = sound.indices.dropFirst().filter { place in
      (0x30...0x39).contains(sound[place]) && [0x3A, 0x2C, 0x5B].contains(sound[place - 1])
    }
    #expect(places.count > 100)
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    func random(below bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    var served = 0
    for _ in 0..<60 {
      var bytes = sound
      for _ in 0..<(1 + random(below: 3)) {
        bytes[places[random(below: places.count)]] = UInt8(0x30 + random(below: 10))
      }
      let folder = try ScratchFolder()
      try Data(bytes).write(to: URL(filePath: folder.path("journal.sqlite")))
      let (provider, work) = SimulatedProvider.manual(.steps(3))
      do {
        let fixture = try await EngineFixture(provider, in: folder)
        for run in work.all { run.performAllSteps() }
        for job in try await fixture.session.jobs() {
          _ = try await fixture.session.observer.job(job.id)
        }
        _ = try await fixture.engine.events(after: 0, limit: 1000)
        served += 1
      } catch let error as InstallationError {
        #expect(!error.message.isEmpty)
      }
    }
    #expect(served > 10)
  }
}

import InstallJobs
import JobEngine
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Progress and callbacks` {
  @Test func `C8, C9: the closure gets the very job and a snapshot that stays`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let identities = Recorder<ObjectIdentifier>()
    let (unchanged, moved) = (Recorder<Bool>(), Recorder<Bool>())
    let gate = AsyncStream<Void>.makeStream()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")],
      onProgress: { job, snapshot in
        let before = "\(snapshot)"
        identities.note(ObjectIdentifier(job))
        for await _ in gate.stream { break }
        unchanged.note("\(snapshot)" == before)
        let now = await job.progress
        moved.note(now != snapshot)
      })
    await work.next()?.performAllSteps()
    // The job is over while its first snapshot is still looked at.
    _ = try await job.result
    gate.continuation.finish()
    try await job.cleanUp()
    #expect(identities.values.allSatisfy { $0 == ObjectIdentifier(job) })
    #expect(unchanged.values.allSatisfy(\.self) && moved.values.first == true)
  }

  @Test(arguments: ["success", "failure", "abort"])
  func `C10, C11: the completion closure comes for every end`(end: String) async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let codes = Recorder<OperationResultCode>()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1"), Update("p2")],
      onCompletion: { job in
        if let result = try? await job.result { codes.note(result.code) }
      })
    let run = try #require(await work.next())
    switch end {
    case "success": run.performAllSteps()
    case "failure":
      run.download()
      run.failStep(0)
      run.failStep(1)
      run.end(exitStatus: 100)
    default:
      _ = try await job.requestAbort()
      run.end(exitStatus: 130, stopped: true)
    }
    try await job.cleanUp()
    #expect(codes.values == [end == "success" ? .succeeded : end == "failure" ? .failed : .aborted])
  }

  @Test func `C13: a completion before begin returns has the job in hand`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let ids = Recorder<JobID>()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")], onCompletion: { job in ids.note(job.id) })
    try await job.cleanUp()
    #expect(ids.values == [job.id])
  }

  @Test func `C13, R10: a job that was over before begin returned completes with itself in hand`()
    async throws
  {
    let (fixture, work) = try await EngineFixture.byHand()
    var options = InstallationOptions()
    options.token = "once"
    let installer = try fixture.installer()
    let first = try await installer.beginInstallation(of: [Update("p1")], options: options)
    await work.next()?.performAllSteps()
    let result = try await first.result
    let seen = Recorder<InstallationResult?>()
    let ids = Recorder<JobID>()
    // The same token is the same job, which is over.
    let again = try await installer.beginInstallation(
      of: [Update("p1")], options: options,
      onCompletion: { job in
        ids.note(job.id)
        seen.note(try? await job.result)
      })
    try await again.cleanUp()
    #expect(ids.values == [first.id] && seen.values == [result])
  }

  @Test func `C14, R12: a slow closure misses the middle, never the last`() async throws {
    let (fixture, work) = try await EngineFixture.byHand(.steps(1))
    let calls = Recorder<InstallationProgress>()
    let gate = AsyncStream<Void>.makeStream()
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1")],
      onProgress: { _, snapshot in
        calls.note(snapshot)
        if calls.values.count == 1 { for await _ in gate.stream { break } }
      })
    let run = try #require(await work.next())
    try await eventually { calls.values.count == 1 }
    run.send(.stage(.downloading))
    for count in 1...1000 {
      run.send(.downloaded(step: 0, bytes: Int64(count)))
    }
    run.performAllSteps()
    // The result is there although the closure still sits in its first call.
    try await eventually { await job.isCompleted }
    gate.continuation.finish()
    try await job.cleanUp()
    #expect(calls.values.count <= 3)
    #expect(calls.values.last?.state == .completed)
  }

  @MainActor
  @Test func `C16: a caller on the main actor is not dead-locked`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    var hops = 0
    let count = Locked(0)
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1"), Update("p2")],
      onProgress: { _, _ in await MainActor.run { count.change { $0 += 1 } } })
    hops = try await job.result.updateResults.count
    try await job.cleanUp()
    #expect(hops == 2 && count.value >= 1)
  }

  @Test func `C18, C20: each reader of the sequence ends with the final snapshot`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let readers = (0..<3).map { speed in
      Task {
        var last: InstallationProgress?
        for try await progress in job.progressUpdates {
          last = progress
          for _ in 0..<(speed * 50) { await Task.yield() }
        }
        return last
      }
    }
    await work.next()?.performAllSteps()
    _ = try await job.result
    var lasts: Set<InstallationProgress?> = []
    for reader in readers { lasts.insert(try await reader.value) }
    #expect(lasts == [await job.progress] && lasts.first??.state == .completed)
  }

  @Test func `C19: a late reader gets the present snapshot and the end`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    _ = try await job.result
    var seen: [InstallationProgress] = []
    for try await progress in job.progressUpdates { seen.append(progress) }
    #expect(seen.count == 1 && seen.first?.state == .completed)
  }

  @Test func `C1, C3, C4, C5: what a run shows never falls and ends at 100`() async throws {
    let scenario = Scenario.steps(4).changing("p2") { $0.regresses = true }
    let clock = ManualClock()
    let fixture = try await EngineFixture(
      SimulatedProvider(playing: scenario, clock: clock), in: ScratchFolder())
    let seen = Recorder<InstallationProgress>()
    let job = try await fixture.installer().beginInstallation(
      of: (1...4).map { Update("p\($0)") }, onProgress: { _, snapshot in seen.note(snapshot) })
    while await !job.isCompleted {
      await clock.advance(by: .milliseconds(100))
      await Task.yield()
    }
    try await job.cleanUp()
    var fractions: [String: Double] = [:]
    var overall = 0.0
    for progress in seen.values {
      #expect(progress.overallFraction >= overall)
      overall = progress.overallFraction
      if let index = progress.currentIndex { #expect(job.updates.indices.contains(index)) }
      guard let item = progress.currentItem else { continue }
      #expect(progress.currentFraction >= fractions[item, default: 0])
      fractions[item] = progress.currentFraction
    }
    #expect(seen.values.last?.percentComplete == 100)
    #expect(seen.values.dropLast().allSatisfy { $0.percentComplete < 100 })
  }

  @Test func `C21, N6: silence is flagged after the threshold and cleared by life`() async throws {
    let clock = ManualClock()
    let base = Timestamp(milliseconds: 1_000_000)
    let (fixture, work) = try await EngineFixture.byHand {
      $0.clock = clock
      $0.stallThreshold = .seconds(5)
      $0.now = { base.advanced(bySeconds: Double(clock.now.offset.components.seconds)) }
    }
    let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    // Its name is there from the download on; whatever comes later is a sign of life.
    try await eventually {
      try await fixture.backend.job(job.id).plan?.first?.phase == .unpacking
    }
    try await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(6))
    try await eventually { await job.progress.isStalled }
    run.send(.alive)
    try await eventually { await !job.progress.isStalled }
  }

  @Test func `C24: the preview equals the answer`() async throws {
    let (fixture, work) = try await EngineFixture.byHand()
    let job = try await fixture.installer().beginInstallation(of: [Update("p1"), Update("p2")])
    let run = try #require(await work.next())
    run.download()
    run.beginStep(0)
    // While it downloads, p1 is at work, too, and the answer is another one.
    try await eventually {
      let progress = await job.progress
      return progress.state == .installing && progress.currentItem == "p1"
    }
    let preview = await job.progress.abortPreview
    #expect(try await job.requestAbort() == preview)
  }

  @Test func `R11: closures may ask the job and the session anything but clean up`() async throws {
    let fixture = try await EngineFixture.playing(.instant(2))
    let asked = Recorder<Int>()
    let session = fixture.session
    let job = try await fixture.installer().beginInstallation(
      of: [Update("p1"), Update("p2")],
      onProgress: { job, _ in
        _ = await job.progress
        _ = try? await job.requestAbort()
        asked.note((try? await session.jobs().count) ?? 0)
      })
    _ = try await job.result
    try await job.cleanUp()
    #expect(!asked.values.isEmpty && asked.values.allSatisfy { $0 == 1 })
  }
}

import InstallJobs
import JobJournal
import PackageProvider
import SimulatedProvider
import Support
import Testing

@testable import JobEngine

@Suite struct `What stages cost` {
  private let now = Timestamp(milliseconds: 1_700_000_000_000)

  private func sample(
    _ stage: CostStage, _ package: String, _ seconds: Double, version: String = "1.0",
    bytes: Int64 = 0, host: String = "m", age: Double = 0
  ) -> DurationSample {
    DurationSample(
      at: Timestamp(milliseconds: now.milliseconds - Int64(age * 1000)), package: package,
      version: version, stage: stage.rawValue, seconds: seconds, bytes: bytes, host: host)
  }

  private func step(_ name: String, version: String = "1.0", size: Int64 = 0) -> PlannedUpdate {
    PlannedUpdate(
      name: name, architecture: "all", action: .install, toVersion: version, installedSize: size)
  }

  private func costs(
    _ samples: [DurationSample], machine: [DurationSample] = []
  ) -> LearnedCosts {
    LearnedCosts(
      ofPackages: samples, on: LearnedCosts(ofMachine: machine, at: now), at: now)
  }

  @Test func `fewer than three samples say nothing, and the median counts`() {
    let two = [sample(.configure, "a", 4), sample(.configure, "a", 6)]
    #expect(costs(two).cost(of: .configure, of: step("a"))?.seconds == nil)
    let three = costs(two + [sample(.configure, "a", 500)])
    #expect(three.cost(of: .configure, of: step("a"))?.seconds == 6)
    #expect(three.cost(of: .configure, of: step("b"))?.seconds == nil)
    #expect(three.cost(of: .unpack, of: step("a"))?.seconds == nil)
  }

  @Test func `the same version counts before other versions of the package`() {
    let samples =
      (1...3).map { sample(.unpack, "a", Double($0), version: "2.0") }
      + (1...3).map { sample(.unpack, "a", Double($0) * 100) }
    #expect(costs(samples).cost(of: .unpack, of: step("a", version: "2.0"))?.seconds == 2)
    #expect(costs(samples).cost(of: .unpack, of: step("a", version: "1.0"))?.seconds == 200)
    let other = costs(samples).cost(of: .unpack, of: step("a", version: "3.0"))?.seconds
    #expect(other == 51.5)
  }

  @Test func `a package that was never seen is told by its size on this machine`() throws {
    let megabyte: Int64 = 1 << 20
    // Twice as long as assumed, each.
    let machine = (1...3).map { number in
      let bytes = Int64(number) * 80 * megabyte
      return sample(
        .unpack, "x\(number)", 2 * CostStage.unpack.assumedSeconds(for: bytes), bytes: bytes)
    }
    let estimate = try #require(
      costs([], machine: machine).cost(of: .unpack, of: step("new", size: 160 * megabyte))?.seconds)
    #expect(abs(estimate - 4.2) < 0.001)
  }

  @Test func `what is too old, impossible or unknown is left out`() {
    let bad = [
      sample(.configure, "a", 1, age: 200 * 86_400), sample(.configure, "a", .nan),
      sample(.configure, "a", -1), sample(.configure, "a", 1, age: -10 * 86_400),
      DurationSample(
        at: now, package: "a", version: "1.0", stage: "of tomorrow", seconds: 1, bytes: 0,
        host: "m"),
      sample(.configure, "a", 1),
    ]
    #expect(costs(bad, machine: bad).cost(of: .configure, of: step("a"))?.seconds == nil)
  }

  @Test func `rates belong to the host that archives come from`() {
    let near = (1...3).map { _ in sample(.download, "", 1, bytes: 10_000_000, host: "near") }
    let far = (1...3).map { _ in sample(.download, "", 10, bytes: 10_000_000, host: "far:8080") }
    // From the store, in no time: no rate.
    let kept = (1...9).map { _ in sample(.download, "", 0.01, bytes: 10_000_000, host: "near") }
    let learned = costs([], machine: near + far + kept)
    func seconds(_ uri: String) -> Double? {
      let archive = PlannedArchive(fileName: "a.deb", size: 5_000_000, hash: nil, uri: uri)
      return learned.seconds(ofTransfer: archive)
    }
    #expect(seconds("http://near/pool/a.deb") == 0.5)
    #expect(seconds("https://far:8080/a.deb") == 5)
    #expect(seconds("http://elsewhere/a.deb") == nil)
    #expect(seconds("copy:/srv/a.deb") == nil)
  }

  @Test
  func `a transfer from a host next door takes some time at most, until longer ones are known`() {
    func seconds(_ samples: [DurationSample], size: Int64 = 5_000_000) -> Double? {
      let archive = PlannedArchive(fileName: "a", size: size, hash: nil, uri: "http://near/a")
      return costs([], machine: samples).expectedCost(ofTransfer: archive)?.seconds
    }
    let quick = (1...9).map { _ in sample(.download, "", 0.1, bytes: 1_000_000, host: "near") }
    let long = (1...3).map { _ in sample(.download, "", 10, bytes: 1_000_000, host: "near") }
    #expect(seconds(quick) == 1)
    #expect(abs((seconds(quick + long) ?? 0) - 50) < 0.001)
    #expect(seconds(Array(quick.prefix(2))) == nil)
    #expect(seconds([], size: 1000) == 0)
  }

  private func plan(_ steps: [PlannedUpdate], archives: [Int: PlannedArchive] = [:]) -> JobPlan {
    JobPlan(
      requests: [JobPlan.Request(update: Update("a"), step: 0)], steps: steps, archives: archives)
  }

  @Test func `N5: what a job takes is the sum of its stages, its spread that of their quartiles`()
    throws
  {
    // Quartiles 8 and 12 around 10: a deviation of 4 / 1.349.
    let near = [6.0, 8, 10, 12, 14].flatMap { seconds in
      [sample(.unpack, "a", seconds), sample(.configure, "a", 5)]
    }
    let machine = (1...3).flatMap { _ in [sample(.prepare, "", 1), sample(.conclude, "", 2)] }
    let learned = costs(near, machine: machine)
    let expected = try #require(learned.expectedWork(on: plan([step("a")])))
    #expect(expected.downloadSeconds == 0 && expected.packageSeconds == 18)
    let deviation = 4 / 1.349
    let root = (deviation * deviation + 0.25 * 0.25 + 0.05 * 0.05 + 0.1 * 0.1).squareRoot()
    #expect(abs(expected.spreadSeconds - 2 * root) < 0.06)
    // One time that went wrong makes no spread.
    let wrong = costs(near + [sample(.configure, "a", 5000)], machine: machine)
    #expect(wrong.expectedWork(on: plan([step("a")])) == expected)
  }

  @Test func `N5: where any part is not known, nothing is expected`() {
    let known = (1...3).flatMap { _ in [sample(.unpack, "a", 1), sample(.configure, "a", 1)] }
    let ends = (1...3).flatMap { _ in
      [sample(.prepare, "", 1), sample(.conclude, "", 1), sample(.connect, "", 1)]
    }
    let whole = plan([step("a")])
    #expect(costs(known, machine: ends).expectedWork(on: whole) != nil)
    #expect(costs(Array(known.dropLast()), machine: ends).expectedWork(on: whole) == nil)
    let endless = ends.filter { $0.stage != "conclude" }
    #expect(costs(known, machine: endless).expectedWork(on: whole) == nil)
    #expect(costs(known, machine: ends).expectedWork(on: plan([step("a"), step("b")])) == nil)
    func fetched(_ size: Int64, _ machine: [DurationSample]) -> Double? {
      let archive = PlannedArchive(fileName: "a", size: size, hash: nil, uri: "http://far/a")
      let plan = plan([step("a")], archives: [0: archive])
      return costs(known, machine: machine).expectedWork(on: plan)?.downloadSeconds
    }
    #expect(fetched(1_000_000, ends) == nil)
    #expect(fetched(50_000, ends) == 1)
    let slow = (1...3).map { _ in sample(.download, "", 10, bytes: 1_000_000, host: "far") }
    #expect(fetched(2_000_000, ends + slow) == 21)
    // In no time: no rate for a bar, and no reason to say nothing.
    let quick = (1...3).map { _ in sample(.download, "", 0, bytes: 1_000_000, host: "far") }
    #expect(fetched(2_000_000, ends + quick) == 1.4)
  }

  @Test func `a slow script has its share of the bar from the start`() throws {
    var job = JobMachineFixture(steps: ["quick", "slow"], archives: false)
    let samples = ["quick", "slow"].flatMap { name in
      (1...3).flatMap { _ in
        [
          sample(.unpack, name, 1), sample(.configure, name, name == "slow" ? 47 : 1),
        ]
      }
    }
    job.machine.setLearnedCosts(by: costs(samples))
    try job.feed(.begin)
    try job.feed(.started)
    try job.install(0)
    // 2 of 50 seconds.
    #expect((3.5...4.5).contains(job.snapshot.percentComplete))
    try job.report(.phase(step: 1, .unpacking))
    let left = try #require(job.snapshot.etaSeconds)
    #expect((40...50).contains(left))
  }

  @Test func `what a package costs to install is foreseen while it is fetched`() throws {
    var job = JobMachineFixture(steps: ["a"])
    let samples = (1...3).flatMap { _ in
      [sample(.unpack, "a", 40), sample(.configure, "a", 60)]
    }
    // A tenth of a second for each byte, as it will be.
    let rate = (1...3).map { _ in
      sample(.download, "", 100_000, bytes: 1_000_000, host: "")
    }
    job.machine.setLearnedCosts(by: costs(samples, machine: rate))
    try job.feed(.begin)
    try job.feed(.started)
    for part in 1...9 {
      job.second += 9
      try job.report(.downloaded(step: 0, bytes: Int64(part) * 100))
    }
    // A tenth is to be fetched, at a hundred bytes in ten seconds.
    #expect((108...112).contains(try #require(job.snapshot.etaSeconds)))
    try job.report(.phase(step: 0, .downloaded), .stage(.installing))
    #expect((95...100).contains(try #require(job.snapshot.etaSeconds)))
    try job.report(.phase(step: 0, .unpacking))
    job.second += 9
    try job.report(.alive)
    #expect((85...91).contains(try #require(job.snapshot.etaSeconds)))
    try job.report(.stage(.waitingForLock(nil)), .alive)
    #expect(job.snapshot.etaSeconds == nil)
  }

  @Test func `what comes before the first package and after the last has its share`() throws {
    var job = JobMachineFixture(steps: ["a"], archives: false)
    let samples = (1...3).flatMap { _ in
      [
        sample(.unpack, "a", 5), sample(.configure, "a", 5), sample(.prepare, "", 10),
        sample(.conclude, "a", 20),
      ]
    }
    job.machine.setLearnedCosts(by: costs(samples, machine: samples))
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.phase(step: 0, .unpacking))
    #expect((24...26).contains(job.snapshot.percentComplete))
    try job.report(.phase(step: 0, .unpacked), .phase(step: 0, .configuring))
    try job.report(.phase(step: 0, .done))
    #expect((49...51).contains(job.snapshot.percentComplete))
    #expect(job.snapshot.plan?[0].percentComplete == 100)
  }
}

@Suite struct `How long stages take` {
  @Test func `every second of the work belongs to one stage`() throws {
    var job = JobMachineFixture(steps: ["a", "b"])
    try job.feed(.begin)
    try job.feed(.started)
    job.second += 4
    try job.report(.downloaded(step: 0, bytes: 10))
    job.second += 9
    try job.report(.phase(step: 0, .downloaded), .phase(step: 1, .downloaded))
    try job.report(.stage(.installing))
    job.second += 1
    try job.report(.phase(step: 0, .unpacking))
    job.second += 2
    try job.report(.phase(step: 0, .unpacked))
    try job.report(.phase(step: 0, .configuring), .phase(step: 0, .done))
    job.second += 3
    try job.report(.phase(step: 1, .unpacking), .phase(step: 1, .unpacked))
    try job.report(.phase(step: 1, .configuring), .phase(step: 1, .done))
    try job.report(.trigger("man-db"))
    job.second += 6
    try job.report(.trigger(nil))
    let last = try job.end(installed: [0, 1])
    guard case .learn(let laps)? = last.last else {
      Issue.record("nothing is learned")
      return
    }
    typealias Lap = Stopwatch.Lap
    #expect(
      laps == [
        Lap(stage: .connect, step: nil, seconds: 5),
        Lap(stage: .download, step: nil, seconds: 11),
        Lap(stage: .prepare, step: nil, seconds: 2), Lap(stage: .unpack, step: 0, seconds: 3),
        Lap(stage: .configure, step: 0, seconds: 1), Lap(stage: .unpack, step: 1, seconds: 4),
        Lap(stage: .configure, step: 1, seconds: 1),
        Lap(stage: .conclude, step: nil, seconds: 10),
      ])
    // From the start of the work to the result.
    #expect(laps.reduce(0) { $0 + $1.seconds } == Double(job.second - 2))
  }

  @Test func `a download that was paused teaches no rate`() throws {
    var job = JobMachineFixture(steps: ["a"])
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.downloaded(step: 0, bytes: 500))
    try job.feed(.suspend(by: JobMachineFixture.ops))
    try job.feed(.suspendAnswered(.atOnce, by: JobMachineFixture.ops))
    try job.report(.ended(WorkEnd(exitStatus: 0, stoppedAtBoundary: true)))
    job.second += 3600
    try job.feed(.resume)
    try job.feed(.started)
    try job.report(.downloaded(step: 0, bytes: 1000), .phase(step: 0, .downloaded))
    try job.report(.stage(.installing))
    try job.install(0)
    guard case .learn(let laps)? = try job.end(installed: [0]).last else {
      Issue.record("nothing is learned")
      return
    }
    #expect(laps.map(\.stage) == [.connect, .prepare, .unpack, .configure, .conclude])
    #expect(laps.allSatisfy { $0.seconds < 60 })
  }

  @Test func `a failure, a held lock and a clock set back teach nothing`() throws {
    var job = JobMachineFixture(steps: ["a", "b", "c"], archives: false)
    try job.feed(.begin)
    try job.feed(.started)
    try job.report(.stage(.waitingForLock(nil)))
    job.second += 1000
    try job.report(.stage(.installing), .phase(step: 0, .unpacking))
    try job.report(.failed(step: 0, InstallationError(.packageFailed, "no")))
    job.second += 1000
    try job.report(.phase(step: 1, .unpacking))
    job.second -= 500
    try job.report(.phase(step: 1, .unpacked))
    try job.report(.phase(step: 1, .configuring), .phase(step: 1, .done))
    guard case .learn(let laps)? = try job.end(installed: [1], exitStatus: 100).last else {
      Issue.record("nothing is learned")
      return
    }
    #expect(
      laps == [
        Stopwatch.Lap(stage: .prepare, step: nil, seconds: 0),
        Stopwatch.Lap(stage: .configure, step: 1, seconds: 1),
      ])
  }
}

@Suite(.timeLimit(.minutes(1)), .endsOrAborts) struct `Learning from job to job` {
  @Test func `the fourth job of a package knows what the third took`() async throws {
    let fixture = try await EngineFixture.playing(.instant(1))
    for number in 1...3 {
      let job = try await fixture.installer().beginInstallation(of: [Update("p1")])
      try await job.cleanUp()
      let removal = try await fixture.installer().beginUninstallation(of: [Update("p1")])
      try await removal.cleanUp()
      #expect(
        try fixture.journal.durations(of: "configure", package: "p1", limit: 9).count == number)
    }
    let request = JobRequest(.install, [Update("p1")])
    let plan = try await fixture.provider.plan(request)
    let costs = await fixture.engine.learnedCosts(of: plan)
    #expect(plan.steps.allSatisfy { costs.cost(of: .configure, of: $0)?.seconds != nil })
    let other = PlannedUpdate(name: "p1", architecture: "all", action: .install, toVersion: "9")
    #expect(costs.cost(of: .unpack, of: other)?.seconds != nil)
  }
}

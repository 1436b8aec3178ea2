import InstallJobs
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `Archives that are fetched ahead` {
  /// A package that holds the machine, two that share a third, and one that stands alone.
  private static let fixtures = [
    PackageFixture.held("rock"), PackageFixture("base"),
    PackageFixture("left", fields: ["Depends": "base"]),
    PackageFixture("right", fields: ["Depends": "base"]), PackageFixture("alone"),
  ]

  /// Has `rock` at work, and a mirror that counts.
  private static func run(
    _ body: @Sendable (RealEngine, FaultyMirror, InstallationJob) async throws -> Void
  ) async throws {
    try await RealEngine.run(fixtures) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: [:])
      defer { mirror.close() }
      try TestFolder.write(mirror.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let rock = try await engine.begin("rock")
      try await engine.untilHeld("rock")
      try await body(engine, mirror, rock)
    }
  }

  private static func archives(of job: InstallationJob, _ engine: RealEngine) -> [String] {
    let folder = engine.repository.folder.path("state/jobs/\(job.id)/archives")
    return TestFolder.names(in: folder).filter { $0.hasSuffix(".deb") }.sorted()
  }

  @Test func `W19, N11: the next jobs find theirs, each fetched once, also what they share`()
    async throws
  {
    try await Self.run { engine, mirror, rock in
      let left = try await engine.begin("left")
      let right = try await engine.begin("right")
      try await eventually("what the second one lacks", within: .seconds(120)) {
        Self.archives(of: right, engine) == ["right_1.0_all.deb"]
      }
      #expect(Self.archives(of: left, engine) == ["base_1.0_all.deb", "left_1.0_all.deb"])
      try await eventually("the words", within: .seconds(60)) {
        try await engine.session.observer.job(right.id).activity == "its archives are here"
      }
      let snapshot = try await engine.session.observer.job(right.id)
      #expect(snapshot.state == .queued && snapshot.percentComplete == 0)
      try engine.release("rock")
      for job in [rock, left, right] { #expect(try await job.result.code == .succeeded) }
      #expect(mirror.requests == ["rock": 1, "base": 1, "left": 1, "right": 1])
      #expect(try await engine.session.observer.job(left.id).activity == nil)
      #expect(try await engine.repository.audit().isEmpty)
    }
  }

  @Test func `a host that says nothing keeps nothing from coming from another one`() async throws {
    try await Self.run { engine, mirror, _ in
      let elsewhere = try await PackageRepository([PackageFixture("far"), PackageFixture("off")])
      let other = try FaultyMirror(elsewhere.path, faults: ["far": .silent, "off": .silent])
      defer { other.close() }
      try TestFolder.write(
        mirror.source + other.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let job = try await engine.begin("far", "off", "left", "right")
      try await eventually("what the other host has", within: .seconds(120)) {
        let here = mirror.requests.filter { $0.key != "rock" }
        return here == ["base": 1, "left": 1, "right": 1]
      }
      #expect(try await job.requestAbort() == .accepted(stopsAfter: nil))
      try engine.release("rock")
    }
  }

  @Test(arguments: [false, true])
  func `a retry takes what the job before it has fetched`(waits: Bool) async throws {
    let fixtures = [
      PackageFixture("lib"), PackageFixture.held("rock"),
      PackageFixture("app", fields: ["Depends": "lib"], scripts: [.preinst: "exit 1"]),
    ]
    try await RealEngine.run(fixtures) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: [:])
      defer { mirror.close() }
      try TestFolder.write(mirror.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let first = try await engine.begin("app")
      #expect(try await first.result.code == .failed)
      if waits {
        _ = try await engine.begin("rock")
        try await engine.untilHeld("rock")
      }
      var options = InstallationOptions()
      options.retryOf = first.id
      let second = try await engine.begin("app", options: options)
      if waits {
        try await eventually("its archives", within: .seconds(120)) {
          Self.archives(of: second, engine) == ["app_1.0_all.deb"]
        }
        try engine.release("rock")
      }
      _ = try await second.result
      #expect(mirror.requests["app"] == 1 && mirror.requests["lib"] == 1, "\(mirror.requests)")
      #expect(try await engine.session.observer.job(second.id).resultCode == .failed)
    }
  }

  @Test func `a job that is aborted while it waits keeps nothing`() async throws {
    try await Self.run { engine, _, rock in
      let alone = try await engine.begin("alone")
      try await eventually("its archive", within: .seconds(120)) {
        Self.archives(of: alone, engine) == ["alone_1.0_all.deb"]
      }
      _ = try await alone.requestAbort()
      #expect(try await alone.result.code == .aborted)
      try await alone.cleanUp()
      try await eventually("an empty folder", within: .seconds(60)) {
        Self.archives(of: alone, engine).isEmpty
      }
      try engine.release("rock")
      #expect(try await rock.result.code == .succeeded)
      #expect(try await engine.state("alone") == "absent")
    }
  }

  @Test func `what cannot be fetched ahead is fetched in its turn`() async throws {
    try await RealEngine.run(Self.fixtures) { engine in
      let mirror = try FaultyMirror(engine.repository.path, faults: ["alone": .changed])
      defer { mirror.close() }
      try TestFolder.write(mirror.source, to: engine.root + "/etc/apt/sources.list")
      try await engine.repository.refresh()
      let rock = try await engine.begin("rock")
      try await engine.untilHeld("rock")
      let alone = try await engine.begin("alone")
      try await eventually("an attempt", within: .seconds(120)) {
        try await engine.session.observer.job(alone.id).activity == nil
          && mirror.requests["alone", default: 0] > 0
      }
      #expect(Self.archives(of: alone, engine).isEmpty)
      mirror.mend()
      try engine.release("rock")
      #expect(try await rock.result.code == .succeeded)
      #expect(try await alone.result.code == .succeeded)
    }
  }

  @Test func `a paused queue and a held job fetch nothing`() async throws {
    try await Self.run { engine, mirror, rock in
      _ = try await engine.session.pauseQueue()
      let left = try await engine.begin("left")
      _ = try await left.suspend()
      let alone = try await engine.begin("alone")
      _ = try await engine.session.resumeQueue()
      try await eventually("the one that may", within: .seconds(120)) {
        Self.archives(of: alone, engine) == ["alone_1.0_all.deb"]
      }
      #expect(mirror.requests == ["rock": 1, "alone": 1])
      try engine.release("rock")
      #expect(try await rock.result.code == .succeeded)
      #expect(try await alone.result.code == .succeeded)
      try await left.resume()
      #expect(try await left.result.code == .succeeded)
    }
  }
}

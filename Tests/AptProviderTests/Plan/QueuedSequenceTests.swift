import AptProvider
import InstallJobs
import Support
import Testing

@testable import PackageProvider

/// Requests planned one behind the other, then carried out in turn.
@Suite(.timeLimit(.minutes(10)), .endsOrAborts, .serialized) struct `Plans behind work that waits` {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var fixtures: [PackageFixture]
    /// What `apt-get install` brings before.
    var present: [String] = []
    var held: [String] = []
    var requests: [(operation: JobOperation, updates: [String])]
    /// Archives that callers bring, by the updates that name them.
    var local: Set<String> = []
    /// What is installed at the end: `name architecture version`.
    var end: [String]
  }

  private static let transition = [
    PackageFixture("sw", "1.0"), PackageFixture("sw", "2.0", architecture: "native"),
    PackageFixture("a", fields: ["Depends": "sw"]),
  ]

  private static let pair = ["native", "foreign"].map {
    PackageFixture("mlib", architecture: $0, fields: ["Multi-Arch": "same"])
  }

  static let cases = [
    Case(
      testDescription: "an upgrade to another architecture, then others",
      fixtures: transition, present: ["sw=1.0"],
      requests: [
        (.upgrade, ["sw"]), (.install, ["a"]), (.remove, ["a"]), (.purge, ["sw"]),
        (.install, ["sw=1.0"]),
      ], end: ["sw all 1.0"]),
    Case(
      testDescription: "two architectures come, one goes", fixtures: pair,
      requests: [
        (.install, ["mlib:native", "mlib:foreign"]), (.purge, ["mlib:foreign"]),
        (.reinstall, ["mlib"]),
      ], end: ["mlib native 1.0"]),
    Case(
      testDescription: "two architectures come, and the other one goes", fixtures: pair,
      requests: [
        (.install, ["mlib:foreign"]), (.install, ["mlib:native"]), (.remove, ["mlib:native"]),
      ], end: ["mlib foreign 1.0"]),
    Case(
      testDescription: "a provider goes for another, whose user stays",
      fixtures: [
        PackageFixture("one", fields: ["Provides": "mta", "Conflicts": "mta"]),
        PackageFixture(
          "two", fields: ["Provides": "mta", "Conflicts": "mta", "Replaces": "mta"]),
        PackageFixture("user", fields: ["Depends": "one | mta"]),
      ],
      requests: [(.install, ["user"]), (.install, ["two"]), (.install, ["one"])],
      end: ["one all 1.0", "user all 1.0"]),
    Case(
      testDescription: "a local archive, upgraded by the index, then purged",
      fixtures: [
        PackageFixture("tool", "1.0", fields: ["Depends": "lib"]), PackageFixture("lib"),
        PackageFixture("tool", "2.0"),
      ],
      requests: [
        (.install, ["tool=1.0"]), (.upgrade, ["tool"]), (.purge, ["tool"]), (.purge, ["lib"]),
      ], local: ["tool=1.0"], end: []),
    Case(
      testDescription: "what is held stays, the others are upgraded and go",
      fixtures: [
        PackageFixture("held", "1.0"), PackageFixture("held", "2.0"), PackageFixture("b", "1.0"),
        PackageFixture("b", "2.0", fields: ["Depends": "new"]), PackageFixture("new"),
      ], present: ["held=1.0", "b=1.0"], held: ["held"],
      requests: [(.upgrade, ["held", "b"]), (.remove, ["b"]), (.purge, ["b", "new"])],
      end: ["held all 1.0"]),
    Case(
      testDescription: "configuration files outlive a removal and go with a purge",
      fixtures: ["1.0", "2.0"].map {
        PackageFixture(
          "conf", $0, files: [PackageFixture.File("etc/conf.ini", "\($0)\n")],
          conffiles: ["/etc/conf.ini"])
      },
      requests: [
        (.install, ["conf=1.0"]), (.remove, ["conf"]), (.install, ["conf"]), (.remove, ["conf"]),
        (.purge, ["conf"]), (.install, ["conf=1.0"]), (.upgrade, []),
      ], end: ["conf all 2.0"]),
  ]

  @Test(arguments: cases) func `are what is done`(it: Case) async throws {
    let repository = try await PackageRepository(it.fixtures, isMultiarch: true)
    for name in it.present { try await repository.apt("install", name).expectSuccess(name) }
    for name in it.held {
      try await repository.run(["/usr/bin/apt-mark", "hold", name]).expectSuccess(name)
    }
    let planner = try repository.planner()
    var pending = PendingWork()
    var queued: [(request: JobRequest, plan: JobPlan)] = []
    for (operation, names) in it.requests {
      var updates: [Update] = []
      for name in names {
        let text = name.replacing(":native", with: ":" + repository.architecture)
          .replacing(":foreign", with: ":" + repository.foreignArchitecture)
        var update = try Update(parsing: text)
        if it.local.contains(name) {
          let path = repository.archive(update.name, update.version ?? "1.0")
          update.archive = try await repository.bring(path)
        }
        updates.append(update)
      }
      let request = JobRequest(operation, updates)
      let plan = try await planner.plan(request, behind: pending)
      pending.append(plan)
      queued.append((request, plan))
    }
    for (request, plan) in queued {
      let left = try await planner.recheck(plan, for: request)
      let now = try await planner.plan(request)
      let planned = plan.steps.enumerated().filter { !left.contains($0.offset) }.map(\.element)
      #expect(now.steps.map(Self.words) == planned.map(Self.words), "\(request)")
      #expect(now.requests.map(\.note) == plan.requests.map(\.note) || !left.isEmpty)
      #expect(try await repository.carryOut(now, request).status == 0, "\(request)")
    }
    let found = try await repository.run([
      "/usr/bin/dpkg-query", "--admindir=\(repository.root)/var/lib/dpkg", "-W", "-f",
      "${Package} ${Architecture} ${Version} ${db:Status-Status}\\n",
    ]).output.split(separator: "\n").filter { $0.hasSuffix(" installed") }
    let end = it.end.map {
      $0.replacing(" native ", with: " \(repository.architecture) ")
        .replacing(" foreign ", with: " \(repository.foreignArchitecture) ")
    }
    #expect(found.map { String($0.dropLast(" installed".count)) } == end)
  }

  private static func words(_ step: PlannedUpdate) -> String {
    "\(step.action.rawValue) \(step.name) \(step.architecture) "
      + "\(step.fromVersion ?? "-") \(step.toVersion ?? "-") \(step.requested)"
  }

  @Test func `are refused where an archive that comes before cannot be read`() async throws {
    let repository = try await PackageRepository([PackageFixture("tool"), PackageFixture("a")])
    let planner = try repository.planner()
    var update = try Update(parsing: "tool=1.0")
    let archive = try await repository.bring(repository.archive("tool"))
    update.archive = archive
    var pending = PendingWork()
    pending.append(try await planner.plan(JobRequest(.install, [update])))
    try TestFolder.write("no archive", to: "\(repository.store)/\(archive.sha256).deb")
    let error = await #expect(throws: InstallationError.self) {
      try await planner.plan(JobRequest(.install, [Update("a")]), behind: pending)
    }
    #expect(error?.code == .badArchive)
    #expect(error?.message.contains("the archive of tool that a job ahead installs") == true)
  }

  @Test func `are refused with apt's words where the index cannot be read`() async throws {
    let repository = try await PackageRepository([PackageFixture("tool"), PackageFixture("a")])
    let planner = try repository.planner()
    var pending = PendingWork()
    pending.append(try await planner.plan(JobRequest(.install, [Update("tool")])))
    let lists = repository.root + "/var/lib/apt/lists/"
    let list = try #require(
      TestFolder.names(in: lists).first { $0.hasSuffix("Packages") })
    TestFolder.remove(lists + list)
    try TestFolder.write("no index\n", to: lists + list)
    let error = await #expect(throws: InstallationError.self) {
      try await planner.plan(JobRequest(.install, [Update("a")]), behind: pending)
    }
    #expect(error?.code == .unresolvable)
    #expect(error?.message.contains("cannot read the package index") == true)
    #expect(error?.message.contains("Unable to parse") == true)
  }
}

import InstallJobs
import Support
import Testing

@testable import PackageProvider
@testable import SimulatedProvider

@Suite struct `A scenario file` {
  @Test(arguments: [
    ("seed = \"x\"\n[[package]]\nname = \"a\"", "s.toml:1: seed: must be a whole number"),
    ("seed = 1\n\n[[package]]\nversion = \"1\"", "s.toml:3: package[0].name: is missing"),
    ("[[package]]\nname = \"A b\"", "s.toml:2: package[0].name: not a package name"),
    ("[[package]]\nname = \"a\"\nsize = 1.5", "s.toml:3: package[0].size: must be a whole number"),
    (
      "[[package]]\nname = \"a\"\nunpack = [2, 1]",
      "s.toml:3: package[0].unpack: must be seconds, or a list"
    ),
    ("[[package]]\nname = \"a\"\ncolour = 1", "s.toml:3: package[0].colour: unknown key"),
    (
      "[[package]]\nname = \"a\"\nfails = { at = \"lunch\" }",
      "s.toml:3: package[0].fails.at: must be one of \"download\""
    ),
    (
      "[[package]]\nname = \"a\"\n\n[[package]]\nname = \"b\"\ndependencies = [\"c\"]",
      "s.toml:6: package[1].dependencies: no package is named 'c'"
    ),
    (
      "[[package]]\nname = \"a\"\n[[job]]\noperation = \"eat\"",
      "s.toml:4: job[0].operation: must be one of"
    ),
    (
      "[[package]]\nname = \"a\"\n[[job]]\npackages = [\"z\"]", "s.toml:4: job[0].packages: no pack"
    ),
    ("[[package]]\nname = \"a\"\n[[job]]\nat = 1", "job[0].packages: cannot install: no package"),
    ("[[package]]\nname = \"a\"\n[[package]]\nname = \"a\"", "s.toml:4: package[1].name: a 1.0 is"),
    ("seed = 1", "s.toml: the scenario has no package"),
    ("seed = \n", "s.toml:1: "),
    ("package = 3", "s.toml:1: package: must be written as [[package]], not the number 3"),
    ("tickSeconds = 0\n[[package]]\nname = \"a\"", "s.toml:1: tickSeconds: must be at least"),
    ("name = \"\\u001b[2J\"\n[[package]]\nname = \"a\"", "s.toml:1: name: must be printable"),
  ])
  func `N21: a mistake is named with file, line and key`(text: String, message: String) {
    let error = #expect(throws: InstallationError.self) {
      try Scenario(parsing: text, file: "s.toml")
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `Every key is read`() throws {
    let text = """
      name = "all"
      seed = 9
      bytesPerSecond = 1000
      parallelDownloads = 2
      tickSeconds = 0.5
      survivesRestart = false
      [lock]
      holder = "dpkg"
      pid = 7
      seconds = 3
      [defaults]
      unpack = 2
      [[package]]
      name = "a"
      version = "2.0"
      architecture = "all"
      size = 5
      installed = "1.0"
      essential = true
      configure = [1, 2]
      fails = { at = "unpack", exitStatus = 4, code = "noSpace", times = 2, goesOn = true }
      stall = { at = "configure", seconds = 9 }
      flood = { reports = 10, seconds = 1 }
      trigger = { package = "man-db" }
      question = { text = "Why?", default = "so" }
      crash = "configure"
      reboot = true
      regresses = true
      [[job]]
      operation = "upgrade"
      packages = ["a"]
      comment = "c"
      priority = 5
      at = 1.5
      """
    let scenario = try Scenario(parsing: text, file: "x/y.toml")
    let package = try #require(scenario.packages.first)
    #expect(scenario.lock == Scenario.Lock(LockHolder(pid: 7, command: "dpkg"), seconds: 3))
    #expect(package.unpack == 2)
    #expect(package.configure == Scenario.Span(1...2))
    #expect(
      package.failure
        == Scenario.Failure(.unpack, exitStatus: 4, code: .noSpace, times: 2, goesOn: true))
    #expect(package.flood == Scenario.Flood(.configure, reports: 10, seconds: 1))
    #expect(package.question == Scenario.Question("Why?", default: "so"))
    #expect(scenario.jobs.first?.at == 1.5)
    #expect(scenario.jobs.first?.request.options.priority == 5)
  }

  @Test func `An unknown built-in name lists those that exist`() {
    let error = #expect(throws: InstallationError.self) { try Scenario.named("no\u{1b}ne") }
    #expect(error?.message == "no scenario is named 'no?ne'")
    #expect(error?.hint?.contains("busy, demo, failing, queue-50") == true)
  }

  @Test(.scratchFolder) func `A file is loaded by its path`() throws {
    let folder = try #require(ScratchFolder.current)
    let path = try folder.write("[[package]]\nname = \"a\"", to: "mine.toml")
    #expect(try Scenario.load(path: path).name == "mine")
    #expect(throws: InstallationError.self) { try Scenario.load(path: path + ".gone") }
  }
}

@Suite struct `A simulated plan` {
  private static func scenario() -> Scenario {
    Scenario(
      name: "index",
      packages: [
        SimulatedPackage("lib", "1.0"), SimulatedPackage("lib", "2.0"),
        SimulatedPackage("app").modified { $0.dependencies = ["lib"] },
        SimulatedPackage("old", "2.0").modified { $0.installed = "1.0" },
        SimulatedPackage("base").modified {
          $0.installed = "1.0"
          $0.isEssential = true
        },
        SimulatedPackage("alone").modified { $0.isExclusive = true },
        SimulatedPackage("foe").modified { $0.conflicts = ["base"] },
        SimulatedPackage("held", "2.0").modified {
          $0.installed = "1.0"
          $0.isHeld = true
        },
      ])
  }

  private func plan(
    _ operation: JobOperation, _ names: String...
  ) async throws -> JobPlan {
    let provider = SimulatedProvider(playing: Self.scenario())
    return try await provider.plan(
      try JobRequest(operation, names.map { try Update(parsing: $0) }).validated())
  }

  @Test func `B5: dependencies come first, in their newest version`() async throws {
    let plan = try await plan(.install, "app")
    #expect(plan.steps.map { "\($0.name) \($0.toVersion ?? "")" } == ["lib 2.0", "app 1.0"])
    #expect(plan.steps.map(\.requested) == [false, true])
    #expect(plan.requests.map(\.step) == [1])
    #expect(plan.downloadSize == 200_000)
  }

  @Test func `D16: an installed package is noted, not touched`() async throws {
    let plan = try await plan(.install, "base")
    #expect(plan.steps.isEmpty)
    #expect(plan.requests.map(\.note) == [.alreadyInstalled])
  }

  @Test func `D17: an absent package is noted in a removal`() async throws {
    #expect(try await plan(.remove, "app").requests.map(\.note) == [.notInstalled])
  }

  @Test func `A7: what can be upgraded leaves out what is held`() async throws {
    let provider = SimulatedProvider(playing: Self.scenario())
    #expect(try await provider.upgradableUpdates().map(\.name) == ["old"])
    let plan = try await plan(.upgrade)
    #expect(plan.steps.map(\.action) == [.upgrade])
    #expect(plan.requests.map(\.update.name) == ["old"])
  }

  @Test(arguments: [
    (JobOperation.install, ["nosuch"], InstallationError.Code.notApplicable),
    (.install, ["lib=9"], .notApplicable), (.install, ["lib:arm64"], .notApplicable),
    (.remove, ["base"], .notUninstallable), (.install, ["alone", "lib"], .exclusiveConflict),
    (.install, ["foe"], .unresolvable), (.install, ["held"], .unresolvable),
    (.reinstall, ["app"], .notApplicable),
  ])
  func `A43: a request that cannot be met is refused`(
    operation: JobOperation, names: [String], code: InstallationError.Code
  ) async throws {
    let provider = SimulatedProvider(playing: Self.scenario())
    let request = JobRequest(operation, try names.map { try Update(parsing: $0) })
    let error = await #expect(throws: InstallationError.self) { try await provider.plan(request) }
    #expect(error?.code == code)
  }

  @Test func `packages are found as by a look through the whole index`() {
    var random = RepeatableNumbers(seed: 5)
    let names = ["a", "b", "c", "d"]
    let scenario = Scenario(
      name: "index",
      packages: (1...40).map { number in
        SimulatedPackage(names.randomElement(using: &random) ?? "a", "\(number)").modified {
          $0.architecture = Bool.random(using: &random) ? "amd64" : "all"
          $0.dependencies = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            names.randomElement(using: &random) ?? "a"
          }
        }
      })
    let index = ScenarioIndex(scenario)
    for name in names + ["z"] {
      let named = scenario.packages.filter { $0.name == name }
      #expect(index.packages(named: name) == named)
      #expect(
        index.packages(needing: name)
          == scenario.packages.filter { $0.dependencies.contains(name) })
      for architecture in ["amd64", "all", "arm64"] {
        let same = named.filter { $0.architecture == architecture }
        #expect(index.packages(named: name, architecture) == same)
        #expect(index.newest(key: "\(name):\(architecture)") == same.last)
      }
    }
  }

  @Test func `N7: a moved index makes the plan out of date`() async throws {
    let provider = SimulatedProvider(playing: Self.scenario())
    let request = JobRequest(.install, [Update("app")])
    let plan = try await provider.plan(request)
    provider.changeIndex()
    let error = await #expect(throws: InstallationError.self) {
      _ = try await provider.start(
        JobWork(
          id: JobID(1), request: request, plan: plan, folder: JobFolder(path: "/nonexistent/job"),
          archiveStore: "/nonexistent"))
    }
    #expect(error?.code == .planOutOfDate)
  }
}

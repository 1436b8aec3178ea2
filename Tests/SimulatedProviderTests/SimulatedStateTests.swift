import Foundation
import InstallJobs
import PackageProvider
import SimulatedProvider
import Support
import Testing

@Suite struct `A simulated machine in a state folder` {
  @Test func `has the same packages and the same wish for a restart under the next engine`()
    async throws
  {
    let folder = try ScratchFolder()
    let scenario = Scenario.instant(2)
    let first = try SimulatedProvider(scenario, stateFolder: folder.path, bootID: "one")
    first.setPackage("p1", state: "half-installed", version: "1.0")
    first.setPackage("p2", state: "half-configured", version: "1.0")
    first.requestRestart("p2")
    first.save()
    let next = try SimulatedProvider(scenario, stateFolder: folder.path, bootID: "one")
    #expect(await next.rebootReasons() == RebootMarker(isSet: true, packages: ["p2"]))
    let found = await next.checkup { nil }
    let faults = found.filter { $0.verdict == .fault }
    #expect(faults.map(\.package) == ["p1", "p2"])
    #expect(faults.map(\.repair) == [.reinstall("p1"), .finishConfiguration])
    #expect(faults.first?.message.hasPrefix("p1 1.0 is half installed: ") == true)
    #expect(found.contains { $0.subject == .restart && $0.verdict == .attention })
    // The machine was restarted; another scenario is another machine.
    let restarted = try SimulatedProvider(scenario, stateFolder: folder.path, bootID: "two")
    #expect(await restarted.rebootReasons().isSet == false)
    #expect(await restarted.checkup { nil }.contains { $0.package == "p1" })
    var other = scenario
    other.name = "another"
    let anew = try SimulatedProvider(other, stateFolder: folder.path, bootID: "two")
    #expect(await anew.checkup { nil }.allSatisfy { $0.verdict == .sound })
  }

  @Test func `is written by itself soon after it changed, and not where it did not`() async throws {
    let folder = try ScratchFolder()
    let provider = try SimulatedProvider(.instant(2), stateFolder: folder.path)
    // The first is written at once, the second when some time has passed.
    provider.setPackage("p1", version: "1.0")
    #expect(try SimulatedDatabase.read(inState: folder.path)?["p1:amd64"].isInstalled == true)
    provider.setPackage("p2", version: "1.0")
    try await eventually("the second change") {
      try SimulatedDatabase.read(inState: folder.path)?["p2:amd64"].isInstalled == true
    }
    let file = folder.path(SimulatedDatabase.fileName)
    try FileManager.default.removeItem(atPath: file)
    provider.save()
    #expect(!FileManager.default.fileExists(atPath: file))
    provider.changeIndex()
    provider.save()
    #expect(FileManager.default.fileExists(atPath: file))
  }

  @Test func `is another one when the scenario says something else under the same name`() throws {
    let folder = try ScratchFolder()
    let scenario = Scenario.instant(2)
    let first = try SimulatedProvider(scenario, stateFolder: folder.path)
    first.setPackage("p1", state: "half-installed", version: "1.0")
    first.save()
    func kept(_ change: (inout Scenario) -> Void) throws -> String {
      var other = scenario
      change(&other)
      let provider = try SimulatedProvider(other, stateFolder: folder.path)
      return provider.database["p1:amd64"].state
    }
    #expect(try kept { _ in } == "half-installed")
    #expect(try kept { $0.summary = "told better" } == "half-installed")
    #expect(try kept { $0.jobs = [Scenario.Job($0.installsEverything)] } == "half-installed")
    #expect(try kept { $0.packages[1].version = "2.0" } == "not-installed")
    #expect(try kept { $0.packages[0].installed = "1.0" } == "installed")
    #expect(try kept { $0.seed = 7 } == "not-installed")
  }

  @Test func `is not called half done while a job is at work`() async throws {
    let provider = SimulatedProvider(playing: .instant(1))
    provider.setPackage("p1", state: "unpacked", version: "1.0")
    func found(_ names: Set<String>) async -> Checkup.Finding? {
      let work = PresentWork(job: JobID(1), packages: names)
      return await provider.checkup { work }.first { $0.subject == .packages }
    }
    let own = await found(["p1"])
    #expect(own?.verdict == .attention)
    #expect(own?.message.hasPrefix("1 of 1 packages is in the middle") == true)
    let other = await found(["p2"])
    #expect(other?.verdict == .fault && other?.package == "p1")
  }
}

import FoundationEssentials
import InstallJobs
import Testing

@Suite struct `A request to fetch only` {
  private var only: InstallationOptions {
    var options = InstallationOptions()
    options.isDownloadOnly = true
    return options
  }

  @Test func `is one option in JSON, which is there where it is true`() throws {
    let encoder = JSONEncoder()
    let plain = String(decoding: try encoder.encode(InstallationOptions()), as: UTF8.self)
    #expect(!plain.contains("download"))
    let text = String(decoding: try encoder.encode(only), as: UTF8.self)
    #expect(text.contains("\"downloadOnly\":true"))
    #expect(try JSONDecoder().decode(InstallationOptions.self, from: Data(text.utf8)) == only)
    let typed = #"{"downloadOnly": false}"#
    let read = try JSONDecoder().decode(InstallationOptions.self, from: Data(typed.utf8))
    #expect(read == InstallationOptions() && !read.isDownloadOnly)
  }

  @Test(arguments: [JobOperation.remove, .purge, .repair])
  func `is refused where nothing would be fetched`(operation: JobOperation) throws {
    let error = #expect(throws: InstallationError.self) {
      try JobRequest(operation, [Update("p1")], options: only).validated()
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [JobOperation.install, .reinstall, .upgrade])
  func `is taken where archives are unpacked`(operation: JobOperation) throws {
    _ = try JobRequest(operation, [Update("p1")], options: only).validated()
  }

  @Test func `plans what is unpacked, in its order, with its archives`() {
    func step(_ name: String, _ action: PlannedAction) -> PlannedUpdate {
      PlannedUpdate(
        name: name, architecture: "all", action: action, fromVersion: "1", toVersion: "2")
    }
    func archive(_ name: String) -> PlannedArchive {
      PlannedArchive(fileName: name, size: 1, hash: nil, uri: "copy:/\(name)")
    }
    let plan = JobPlan(
      requests: [
        JobPlan.Request(update: Update("half"), step: 1),
        JobPlan.Request(update: Update("new"), step: 3),
      ],
      steps: [
        step("old", .remove), step("half", .configure), step("lib", .upgrade),
        step("new", .install),
      ], archives: [2: archive("lib"), 3: archive("new")], installedSizeChange: 7)
    let fetched = plan.onlyDownloads
    #expect(fetched.steps.map(\.name) == ["lib", "new"])
    #expect(fetched.archives == [0: archive("lib"), 1: archive("new")])
    #expect(fetched.requests.map(\.step) == [nil, 1])
    #expect(fetched.requests[0].note == .alreadyInstalled && fetched.installedSizeChange == 0)
  }
}

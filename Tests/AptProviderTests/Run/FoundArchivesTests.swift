import InstallJobs
import Support
import Testing

@testable import PackageProvider

@Suite struct `A job's folder` {
  private static let plan = JobPlan(
    requests: [], steps: [],
    archives: [3: PlannedArchive(fileName: "a_1.0_all.deb", size: 9, hash: nil, uri: "copy:/a")])

  @Test(arguments: [
    ("archives/a_1.0_all.deb", true), ("archives/partial/a_1.0_all.deb", true),
    ("archives/b_1.0_all.deb", false), ("archives/lock", false), ("log", false),
  ])
  func `tells whether an archive of the plan is there, whole or in part`(
    file: String, isThere: Bool
  ) throws {
    let scratch = try ScratchFolder()
    let folder = JobFolder(path: scratch.path)
    #expect(!folder.hasArchive(of: Self.plan))
    try scratch.write("part", to: file)
    #expect(folder.hasArchive(of: Self.plan) == isThere)
  }
}

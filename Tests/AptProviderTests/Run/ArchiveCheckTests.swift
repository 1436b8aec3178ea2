import Glibc
import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem
@testable import PackageProvider

@Suite(.timeLimit(.minutes(10)), .endsOrAborts) struct `The check of fetched archives` {
  private static var only: InstallationOptions {
    var options = InstallationOptions()
    options.isDownloadOnly = true
    return options
  }

  @Test func `W1, W14: takes size and hash for what there is, whoever has written it`() async throws
  {
    let scene = try await WorkScene(["one", "two", "three"].map { PackageFixture($0) })
    let work = try await scene.job(.install, ["one", "two", "three"], options: Self.only)
    let observer = try scene.start(work)
    #expect(await observer.end() == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
    #expect(!observer.reports.contains(.stage(.installing)))
    let provider = AptProvider(root: scene.root, workerExecutable: WorkScene.executable)
    #expect(await provider.checkArchives(of: work) == [0: .present, 1: .present, 2: .present])
    func path(_ step: Int) -> String {
      work.folder.path(.archives) + "/" + (work.plan.archives[step]?.fileName ?? "")
    }
    var content = try #require(TestFolder.bytes(of: path(0)))
    content[content.count - 1] ^= 1
    try TestFolder.write(content, to: path(0))
    TestFolder.remove(path(1))
    let findings = await provider.checkArchives(of: work)
    guard case .damaged(let error)? = findings[0] else {
      Issue.record("\(findings)")
      return
    }
    #expect(error.code == .hashMismatch && error.update == work.plan.steps[0].name)
    #expect(findings[1] == .absent(nil) && findings[2] == .present)
  }

  /// The beginning of an archive that an earlier job has, and what the next one gets of it.
  private func lent(
    stopped: Bool = true, content: String = "begin", prepare: (String) throws -> Void = { _ in }
  ) async throws -> (text: String?, modified: Int?) {
    let scratch = try ScratchFolder()
    let (earlier, next) = (
      JobFolder(path: scratch.path("jobs/1")), JobFolder(path: scratch.path("jobs/2"))
    )
    try scratch.write(content, to: "jobs/1/archives/partial/a_1.0_all.deb")
    try TestFolder.makeFolder(scratch.path("jobs/2/archives/partial"))
    let part = scratch.path("jobs/1/archives/partial/a_1.0_all.deb")
    var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
    _ = unsafe utimensat(AT_FDCWD, part, &times, 0)
    try prepare(part)
    #expect(earlier.write(WorkEnd(exitStatus: 0, stoppedAtBoundary: stopped), to: .exit))
    let plan = JobPlan(
      requests: [], steps: [],
      archives: [
        0: PlannedArchive(fileName: "a_1.0_all.deb", size: 9, hash: "SHA256:0", uri: "copy:/a")
      ])
    await KeptArchives(folder: next).reuse(plan)
    let copy = scratch.path("jobs/2/archives/partial/a_1.0_all.deb")
    let modified = RootFiles.status(copy).map { Int($0.modified / 1_000_000_000) }
    return (TestFolder.text(of: copy), modified)
  }

  @Test func `W15: the beginning of an archive goes to the next job, with its time`() async throws {
    let found = try await lent()
    #expect(found.text == "begin" && found.modified == 1000)
  }

  @Test func `W15: only what a stop has left, and is no longer than the archive`() async throws {
    #expect(try await lent(stopped: false).text == nil)
    #expect(try await lent(content: "far too long").text == nil)
    #expect(try await lent(content: "").text == nil)
  }

  @Test func `a link in its place is read for nobody`() async throws {
    let second = try await lent { part in
      #expect(unsafe link(part, part + ".second") == 0)
    }
    #expect(second.text == nil)
    let symbolic = try await lent { part in
      TestFolder.remove(part)
      #expect(unsafe symlink("/etc/hostname", part) == 0)
    }
    #expect(symbolic.text == nil)
  }
}

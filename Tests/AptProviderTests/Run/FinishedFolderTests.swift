import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `The folder of a job that is over` {
  private func bytesOnDisk(in folder: String) -> (blocks: Int, content: Int) {
    TestFolder.names(in: folder).reduce((0, 0)) { sum, name in
      var record = stat()
      guard unsafe lstat(folder + "/" + name, &record) == 0, record.st_mode & S_IFMT == S_IFREG
      else { return sum }
      return (sum.0 + Int(record.st_blocks) * 512, sum.1 + Int(record.st_size))
    }
  }

  @Test func `keeps its recording, and gives back room, orders and passwords`() async throws {
    let scene = try await WorkScene([PackageFixture("hello")])
    var options = InstallationOptions()
    options.proxy = "http://user:s3cr/3t@127.0.0.1:9"
    let work = try await scene.job(.install, ["hello"], options: options)
    #expect(try await scene.start(work).end()?.exitStatus == 0)
    let folder = work.folder.path
    let log = TestFolder.text(of: folder + "/log")
    let status = TestFolder.text(of: folder + "/dpkg-status")
    let before = bytesOnDisk(in: folder)
    #expect(before.blocks > 100_000, "room was set aside")
    #expect(TestFolder.text(of: folder + "/plan.json")?.contains("s3cr") == true)
    work.folder.finish()
    let after = bytesOnDisk(in: folder)
    // A file takes whole blocks.
    let files = TestFolder.names(in: folder).count
    #expect(after.blocks <= after.content + files * 8192, "\(after), \(files) files")
    #expect(log?.isEmpty == false && TestFolder.text(of: folder + "/log") == log)
    #expect(status?.isEmpty == false && TestFolder.text(of: folder + "/dpkg-status") == status)
    for name in TestFolder.names(in: folder) {
      #expect(TestFolder.text(of: folder + "/" + name)?.contains("s3cr") != true, "\(name)")
    }
    let plan = try #require(TestFolder.text(of: folder + "/plan.json"))
    #expect(plan.contains("***@127.0.0.1"))
    #expect(work.folder.removeAll())
    #expect(!TestFolder.exists(folder))
  }
}

import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem
@testable import PackageProvider

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `Waiting for what is left of work` {
  @Test func `a process that ends between two looks at it is not waited for in vain`()
    async throws
  {
    let scratch = try TestFolder()
    let folder = JobFolder(path: scratch.path)
    let gone = ProcessIdentity(boot: ProcessIdentity.currentBoot, pid: .max, started: 1)
    #expect(folder.create(.started, value: gone))
    let clock = ManualClock()
    let looks = Locked(0)
    let reader = FolderReader(
      folder: folder, plan: JobPlan(requests: [], steps: []), offsets: [:])
    let start = Follower(folder: folder, reader: reader, worker: nil, clock: clock) { _ in
      // Listed by the search for the worker and by the first look at what is left, then gone.
      looks.change { $0 += 1 }
      var work = SessionWork()
      if looks.value <= 2 { work.tools = [gone] }
      return work
    }
    let isOver = Locked(false)
    let following = Task {
      var follower = start
      var reports: [WorkReport] = []
      await follower.follow { reports += $0.reports }
      isOver.change { $0 = true }
      return reports
    }
    try await clock.waitForSleepers(1)
    await clock.advance { isOver.value }
    #expect(await following.value == [.abandoned, .lost])
  }
}

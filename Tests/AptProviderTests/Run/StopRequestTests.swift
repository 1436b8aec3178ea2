import CProcess
import Glibc
import InstallJobs
import Support
import Testing

@testable import AptProvider
@testable import HostSystem
@testable import PackageProvider

@Suite struct `A request to stop in the job folder` {
  private let folder: TestFolder
  private let job: JobFolder

  init() throws {
    folder = try TestFolder()
    job = JobFolder(path: folder.path)
  }

  @Test func `nothing is taken that nobody asked for`() {
    guard case .notRequested = job.acceptStop() else {
      Issue.record("a stop was taken")
      return
    }
    #expect(!job.withdrawStop())
  }

  @Test func `what has taken effect cannot be taken back`() {
    #expect(job.create(.stop, "# at once\n"))
    guard case .accepted = job.acceptStop() else {
      Issue.record("no stop was taken")
      return
    }
    #expect(job.has(.stopped))
    #expect(!job.withdrawStop())
    #expect(job.has(.stop))
  }

  @Test func `what was taken back has no effect`() {
    #expect(job.create(.stop, "# at once\n"))
    #expect(job.withdrawStop())
    guard case .notRequested = job.acceptStop() else {
      Issue.record("a stop was taken")
      return
    }
  }

  @Test func `a stop that cannot be noted is kept and not taken back all the same`() {
    // A name that is there and leads nowhere: neither found nor to be made.
    unsafe symlink("/nonexistent/stopped", job.path(.stopped))
    #expect(job.create(.stop, "# at once\n"))
    let taken = job.acceptStop()
    guard case .accepted = taken else {
      Issue.record("a stop that was promised is not kept")
      return
    }
    #expect(!job.has(.stopped))
    withExtendedLifetime(taken) { #expect(!job.withdrawStop()) }
  }

  @Test func `with a worker that is gone there is nothing to take back`() {
    #expect(job.create(.stop, "# at once\n"))
    let gone = ProcessIdentity(boot: "another", pid: 1, started: 1)
    #expect(job.create(.started, value: gone))
    #expect(!job.withdrawStop())
  }

  @Test(.timeLimit(.minutes(2)), .endsOrAborts)
  func `under a gate that another process holds is refused, and names the process`() async throws {
    let other = try #require(job.open(.gate, O_WRONLY | O_CREAT | O_APPEND))
    #expect(file_lock(other.number, 0) == 0)
    let run = AptRun(folder: job, plan: JobPlan(requests: [], steps: []))
    let gate = await run.lockGate()
    let asker = Requester(uid: 1000, user: "ops")
    let answer = await run.requestStop(
      .abort(by: asker), at: Timestamp(milliseconds: 0), under: gate)
    guard case .impossible(let reason) = answer else {
      Issue.record("the answer is \(answer)")
      return
    }
    #expect(reason.contains("(pid \(getpid()))"))
    #expect(!job.has(.stop))
    #expect(await run.withdrawStop() == false)
    file_unlock(other.number)
    let free = await run.lockGate()
    guard case .held = free.state else {
      Issue.record("the gate is not locked: \(free.state)")
      return
    }
    free.release()
    #expect(file_lock(other.number, 0) == 0, "a lock that was released is free")
  }
}

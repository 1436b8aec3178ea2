import AptProvider
import Glibc
import InstallJobs
import PackageProvider
import Support
import Testing

@testable import HostSystem

@Suite(.timeLimit(.minutes(10)), .endsOrAborts)
struct `What a maintainer script leaves running` {
  @Test func `does not keep a job going whose worker, apt and dpkg are gone, and is named`()
    async throws
  {
    let script = """
      sleep 600 >/dev/null 2>&1 &
      echo $! > "$DPKG_ROOT/left"
      : > "$DPKG_ROOT/at-alpha"
      while [ ! -e "$DPKG_ROOT/go-alpha" ]; do sleep 0.05; done
      """
    let scene = try await WorkScene([PackageFixture("alpha", scripts: [.postinst: script])])
    let work = try await scene.job(.install, ["alpha"])
    let observer = try scene.start(work)
    #expect(await observer.until("alpha", .configuring))
    try await eventually { TestFolder.exists(scene.root.path("at-alpha")) }
    let text = try #require(TestFolder.text(of: scene.root.path("left")))
    let left = try #require(Int32(text.prefix { $0 != "\n" }))
    defer { kill(left, SIGKILL) }
    let worker = try #require(work.folder.value(ProcessIdentity.self, of: .started))
    let victims = worker.session().filter { $0.pid != left }.compactMap { process in
      process.open().map { (process, $0) }
    }
    // All but what was left, the worker first.
    for (process, _) in victims.sorted(by: { $0.0.pid < $1.0.pid }) { kill(process.pid, SIGKILL) }
    // What the script was waiting in may have been started after the list.
    try scene.release("alpha")
    #expect(await observer.end() == nil)
    #expect(observer.reports.last == .lost)
    let remarks = observer.reports.compactMap { report in
      if case .remark(let words) = report { words } else { nil }
    }
    #expect(remarks.contains { $0.contains("sleep (pid \(left))") })
    #expect(TestFolder.text(of: work.folder.path(.log))?.contains("sleep (pid \(left))") == true)
  }
}

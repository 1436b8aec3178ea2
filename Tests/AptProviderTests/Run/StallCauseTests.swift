import AptProvider
import InstallJobs
import Testing

@Suite struct `What silent work is at` {
  private static let tools = [
    WorkProcess(pid: 1, parent: 0, command: "fettled"),
    WorkProcess(pid: 2, parent: 1, command: "apt-get"),
    WorkProcess(pid: 3, parent: 2, command: "dpkg"),
  ]
  private static let script = WorkProcess(
    pid: 4, parent: 3, command: "fragile.postins", package: "fragile", script: "postinst")

  private static func child(_ state: String = "S", _ command: String = "sleep") -> WorkProcess {
    WorkProcess(
      pid: 5, parent: 4, state: state, command: command, package: "fragile", script: "postinst")
  }

  @Test func `a script is named with what runs in it`() {
    let cause = StallCause(of: Self.tools + [Self.script, Self.child()])
    #expect(
      cause
        == StallCause(
          .script, "postinst of fragile runs sleep (pid 5)", pid: 5, command: "sleep"))
  }

  @Test func `a process that waits for the disk is told from one that sleeps`() {
    let cause = StallCause(of: Self.tools + [Self.script, Self.child("D", "sync")])
    #expect(cause?.kind == .disk)
    #expect(cause?.message == "postinst of fragile runs sync (pid 5), which waits for the disk")
  }

  @Test func `a process that was stopped is no script's fault`() {
    let cause = StallCause(of: Self.tools + [Self.script, Self.child("T")])
    #expect(cause?.kind == .tool && cause?.message.contains("somebody has stopped") == true)
  }

  @Test func `a tool by itself is named`() {
    let reader = WorkProcess(pid: 9, parent: 3, command: "dpkg-deb")
    let cause = StallCause(of: Self.tools + [reader])
    #expect(cause?.kind == .tool && cause?.pid == 9)
    #expect(cause?.message == "dpkg-deb (pid 9) works and says nothing")
  }

  @Test func `what an earlier script left running in the background is not waited for`() {
    let daemon = WorkProcess(
      pid: 99, parent: 1, started: 50, command: "daemon", package: "other", script: "postinst")
    let cause = StallCause(of: Self.tools + [Self.script, Self.child(), daemon])
    #expect(cause?.pid == 5)
  }

  @Test func `without processes nothing is known`() {
    #expect(StallCause(of: []) == nil)
  }
}

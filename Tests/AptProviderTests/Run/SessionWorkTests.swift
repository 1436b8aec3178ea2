import Testing

@testable import AptProvider
@testable import HostSystem

@Suite struct `What of a session works on packages` {
  private static func member(
    _ pid: Int32, under parent: Int32, _ program: String, _ arguments: [String] = []
  ) -> SessionWork.Member {
    SessionWork.Member(
      identity: ProcessIdentity(boot: "b", pid: pid, started: 1), parent: parent, program: program,
      arguments: arguments)
  }

  private static let dpkg = member(3, under: 2, "/usr/bin/dpkg", ["/usr/bin/dpkg", "--configure"])
  private static let path = "/srv/root/var/lib/dpkg/info/slow.postinst"

  private static func script(under parent: Int32) -> SessionWork.Member {
    member(4, under: parent, "/usr/bin/dash", ["/bin/sh", path, "configure"])
  }

  private func pids(_ processes: [ProcessIdentity]) -> [Int32] { processes.map(\.pid) }

  @Test func `what runs below dpkg works, scripts and their children included`() {
    let work = SessionWork(of: [
      Self.dpkg, Self.script(under: 3), Self.member(5, under: 4, "/usr/bin/sleep", ["sleep", "9"]),
    ])
    #expect(pids(work.tools) == [3, 4, 5])
    #expect(work.scripts.isEmpty && work.others.isEmpty && work.isAtWork)
  }

  @Test(arguments: [
    ["/bin/sh", path, "configure"], ["/usr/bin/perl", "-w", path, "configure"],
    ["/var/lib/dpkg/tmp.ci/preinst", "install"], ["/bin/sh", "/var/lib/dpkg/info/a:amd64.prerm"],
  ])
  func `a script whose dpkg is gone still works, and so does what it runs`(arguments: [String]) {
    let work = SessionWork(of: [
      Self.member(4, under: 1, "/usr/bin/dash", arguments),
      Self.member(5, under: 4, "/usr/bin/sleep", ["sleep", "9"]),
    ])
    #expect(pids(work.scripts) == [4, 5] && work.isAtWork)
  }

  @Test(arguments: [
    ["sleep", "600"], ["/usr/sbin/daemon", "--data", "/var/lib/dpkg/info/slow.list"],
    ["/usr/bin/editor", "/home/postinst"],
  ])
  func `what a script left behind does not`(arguments: [String]) {
    let work = SessionWork(of: [Self.member(9, under: 1, "/usr/bin/daemon", arguments)])
    #expect(pids(work.others) == [9] && !work.isAtWork)
  }

  @Test func `a name that a process gave itself makes it no tool`() {
    let named = Self.member(9, under: 1, "/opt/x/dpkg", ["dpkg"])
    #expect(pids(SessionWork(of: [named]).others) == [9])
    let replaced = Self.member(9, under: 1, "/usr/bin/dpkg (deleted)", ["dpkg"])
    #expect(pids(SessionWork(of: [replaced]).tools) == [9])
  }

  @Test func `parents that lead in a circle come to an end`() {
    let work = SessionWork(of: [
      Self.member(8, under: 9, "/usr/bin/a"), Self.member(9, under: 8, "/usr/bin/b"),
    ])
    #expect(pids(work.others) == [8, 9])
  }
}

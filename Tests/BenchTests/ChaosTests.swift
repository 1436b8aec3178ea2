import Testing

@testable import Bench

@Suite struct `Campaigns of kills` {
  @Test func `lanes add up, and every fault keeps its figure from the target`() throws {
    var (one, two) = (ChaosTally(), ChaosTally())
    one.kills = [.engine: 3, .client: 1]
    one.wrong = [0, 0]
    one.lost = [0]
    two.kills = [.engine: 2]
    two.wrong = [1]
    two.lost = [2]
    one.add(two)
    let figures = one.figures("chaos", wanted: 6, seed: 7)
    func figure(_ name: String) throws -> Figure {
      try #require(figures.first { $0.name == name })
    }
    #expect(try figure("kills").value == 6)
    #expect(try figure("kills").note?.contains("engine 5, worker 0") == true)
    #expect(try figure("jobs").value == 3)
    #expect(try figure("wrong results").isReached == false)
    #expect(try figure("lost events").value == 2)
  }

  @Test func `every sixth job loses its dpkg, once; the others never do`() {
    var numbers = Irregular(seed: 1)
    for job in 1...12 {
      let disturbance = Disturbance(ofJob: job)
      let first = disturbance.victim(choosing: &numbers, after: [])
      #expect((first == .session) == (job % 6 == 3))
      for _ in 0..<50 {
        #expect(
          disturbance.victim(choosing: &numbers, after: [.session, .worker]) != .session)
      }
    }
  }

  @Test func `a worker is known by the folder it was started for`() {
    func row(_ process: Int32, _ words: String...) -> ProcessRow {
      ProcessRow(process: process, parent: 1, session: 7, owner: 1, words: words)
    }
    let rows = [
      row(6, "grep", "work", "/s/jobs/1"), row(7, "/proc/self/exe", "work", "/s/jobs/1"),
      row(8, "apt-get"),
    ]
    #expect(rows.worker(of: "/s/jobs/1")?.process == 7)
    #expect(rows.worker(of: "/s/jobs/10") == nil)
    #expect(ProcessTable.kin(in: "42 (a ) b) S 1 42 41 0").map { [$0, $1] } == [1, 41])
    #expect(ProcessTable.kin(in: "none") == nil)
  }

  @Test func `a chroot's configurations are counted by dpkg's log`() {
    let log = """
      2026-01-01 10:00:00 install tree:amd64 <none> 2.1.0-1
      2026-01-01 10:00:01 configure tree:amd64 2.1.0-1 <none>
      2026-01-01 10:00:01 status installed tree:amd64 2.1.0-1
      2026-01-01 10:00:02 configure man-db:amd64 2.11.2-2 <none>
      2026-01-01 10:00:09 configure tree:amd64 2.1.0-1 2.1.0-1
      broken
      """
    #expect(ChrootTree.configurations(in: log) == ["tree": 2, "man-db": 1])
    #expect(ChrootTree.codename(in: "ID=debian\nVERSION_CODENAME=bookworm\n") == "bookworm")
    #expect(ChrootTree.codename(in: "ID=debian\n") == nil)
  }
}

import AptProvider
import InstallJobs
import PackageProvider
import Support
import Testing

@Suite struct `Reading a job folder` {
  @Test(arguments: [true, false])
  func `downloads are reported before what dpkg does, however late they are seen`(
    isSeenInBetween: Bool
  ) async throws {
    let scene = try await WorkScene([PackageFixture("delta"), PackageFixture("beta")])
    let work = try await scene.job(.install, ["delta", "beta"])
    let folder = work.folder
    var reader = FolderReader(folder: folder, plan: work.plan)
    try TestFolder.write("{\"downloading\":{}}\n", to: folder.path(.stages))
    var reports: [WorkReport] = []
    if isSeenInBetween { reports += reader.next()?.reports ?? [] }
    for archive in work.plan.archives.values {
      try TestFolder.write("x", to: folder.path(.archives) + "/" + archive.fileName)
    }
    try TestFolder.write(
      "{\"downloading\":{}}\n{\"installing\":{}}\n", to: folder.path(.stages))
    try TestFolder.write(
      "processing: install: delta\nstatus: delta: half-installed\nstatus: delta: unpacked\n",
      to: folder.path(.dpkgStatus))
    while let batch = reader.next() { reports += batch.reports }
    let delta = try #require(work.plan.steps.firstIndex { $0.name == "delta" })
    let phases = reports.compactMap { report -> UpdatePhase? in
      if case .phase(delta, let phase) = report { phase } else { nil }
    }
    #expect(phases == [.downloading, .downloaded, .unpacking, .unpacked])
    #expect(reports.count { if case .phase(_, .downloaded) = $0 { true } else { false } } == 2)
    #expect(reports.contains(.stage(.installing)))
  }

  @Test func `a log that grows for ever does not hide the end`() async throws {
    let scene = try await WorkScene([PackageFixture("delta")])
    let folder = try await scene.job(.install, ["delta"]).folder
    let plan = JobPlan(requests: [], steps: [])
    var reader = FolderReader(folder: folder, plan: plan)
    try TestFolder.write(
      "{\"exitStatus\":0,\"stoppedAtBoundary\":false}", to: folder.path(.exit))
    var text = ""
    for _ in 0..<2 {
      text += "noise\n"
      try TestFolder.write(text, to: folder.path(.log))
      _ = reader.next()
    }
    #expect(reader.end == WorkEnd(exitStatus: 0, stoppedAtBoundary: false))
  }
}
